#pragma once

#include <functional>

#include "impl/contract/backend.h"
#include "impl/contract/implementation.h"
#include "impl/contract/merge.h"
#include "impl/contract/mutant.h"
#include "properties/property.h"

// What this plug-in brings, a file each.

using MergeFunction =
    std::function<attncheck::Partial(const attncheck::Partial&, const attncheck::Partial&)>;

// Every rank shows its keys to all others in turn; `merge` puts together what was attended to.
attncheck::Implementation shown_keys(const std::string& name, MergeFunction merge);

// A kernel that walks the keys tile by tile, in powers of two, as fused kernels do.
attncheck::Backend tiled_base2();

// Attention averages values: no output lies outside of what the values span.
attncheck::Property output_lies_between_the_values();

// shown_keys with a merge that adds partial results without their weights.
attncheck::Mutant adds_without_weights();
