#pragma once

#include <cstdint>
#include <vector>

#include "problem/case.h"

namespace attncheck {

// Which keys the queries of a case see: by their places (causal, window, documents) and its mask.
class Sight {
 public:
  explicit Sight(const Case& c);

  // By their places alone.
  bool reaches(int64_t query, int64_t key) const;
  // Query of batch b and head h, key of its KV head.
  bool sees(int64_t b, int64_t h, int64_t query, int64_t key) const;
  // Of some batch and head.
  bool some_sees(int64_t query, int64_t key) const;

 private:
  const Case& case_;  // outlives it
  Band band_;
  std::vector<int64_t> document_;  // by position; empty: one for all
};

// Whether some query of one rank sees some key of another.
bool sees_shard(const Case& c, int query_rank, int key_rank);

// Whether there may be a query that sees no key: a mask is not looked into.
bool may_have_empty_rows(const Case& c);

}  // namespace attncheck
