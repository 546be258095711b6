#pragma once

#include <cstdint>
#include <vector>

#include "properties/request.h"

namespace attncheck {

// The key whose k and v lie at each position of the whole sequence: its own, but for the edits
// `permuted` (another order wherever there are two keys) and `duplicated`.
std::vector<int64_t> key_sources(const Request& request);

// Component d of the vector that the edit `shifted` adds to the keys of a KV head.
double key_shift(const Case& c, int64_t kv_head, int64_t d);

// A cell is one element of the batch and one KV head with its query heads; all elements of the
// batch are one where the view is expanded. Whether the edit `other_cells` changes what the cell
// holds: about half of them, at least one and, where there are two, not all.
bool changed_cell(const Case& c, int64_t b, int64_t kv_head);
int64_t cell_count(const Case& c);

}  // namespace attncheck
