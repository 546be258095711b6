#pragma once

#include <optional>

#include "properties/lab.h"

namespace attncheck {

// Cases that share a case's mesh, dtype and backend, and that the subject supports; nothing where
// it supports none of those that are tried.

// More tokens, other heads and head_dim, another scale, causal where the case is not.
std::optional<Case> other_configuration(const Case& c, Lab& lab);

// The same sizes and other data, and one option at most that differs: the scale, causality, the
// alignment, the window, where the partial results are merged, how keys move, or whether lse is
// returned. The case's seed says which. What is kept by sizes alone is told apart by this only.
std::optional<Case> one_option_apart(const Case& c, Lab& lab);

// The same call on more of everything, and on less; nothing where there is no smaller shape.
std::optional<Case> larger_shape(const Case& c, Lab& lab);
std::optional<Case> smaller_shape(const Case& c, Lab& lab);

// The same call on the fewest queries and 16 times as many keys; nothing where the case's own keys
// outweigh its queries so.
std::optional<Case> with_long_keys(const Case& c, Lab& lab);

}  // namespace attncheck
