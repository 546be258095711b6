#pragma once

#include <vector>

#include "problem/case.h"

namespace attncheck {

// What becomes of the places of tokens when a case shrinks.

// One token less of one shard, and none: of the sequences that the shards cut.
void add_smaller_shards(const Case& c, std::vector<Case>& all);

// With fewer keys a fault may need a window that is smaller as well: those of `all` that have
// fewer, once more.
void add_smaller_windows(const Case& c, std::vector<Case>& all);

// One document shorter, of one token or of half as many.
void add_smaller_documents(const Case& c, std::vector<Case>& all);

// Fewer joint tokens, and none.
void add_fewer_joint_tokens(const Case& c, std::vector<Case>& all);

// A shorter sequence is packed from the first documents, the last of these cut.
Case with_fitting_documents(Case c);

}  // namespace attncheck
