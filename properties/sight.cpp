#include "properties/sight.h"

#include "properties/masks.h"
#include "properties/token_positions.h"

namespace attncheck {

Sight::Sight(const Case& c) : case_(c), band_(visible_band(c.problem)) {
  int64_t number = 0;
  for (const int64_t length : c.problem.documents) {
    document_.insert(document_.end(), length, number++);
  }
}

bool Sight::reaches(int64_t query, int64_t key) const {
  if (band_.lower && key - query < *band_.lower) return false;
  if (band_.upper && key - query > *band_.upper) return false;
  return document_.empty() || document_.at(query) == document_.at(key);
}

bool Sight::sees(int64_t b, int64_t h, int64_t query, int64_t key) const {
  return reaches(query, key) && mask_shows(case_, b, h, query, key);
}

bool Sight::some_sees(int64_t query, int64_t key) const {
  if (!reaches(query, key)) return false;
  if (case_.problem.mask == Mask::none) return true;
  for (int64_t b = 0; b < case_.problem.batch; ++b)
    for (int64_t h = 0; h < case_.problem.heads; ++h)
      if (mask_shows(case_, b, h, query, key)) return true;
  return false;
}

bool sees_shard(const Case& c, int query_rank, int key_rank) {
  const Sight sight(c);
  const std::vector<int64_t> keys = kv_positions(c, key_rank);
  for (const int64_t query : q_positions(c, query_rank))
    for (const int64_t key : keys)
      if (sight.some_sees(query, key)) return true;
  return false;
}

bool may_have_empty_rows(const Case& c) {
  const Problem& p = c.problem;
  if (p.mask != Mask::none) return true;
  const Band band = visible_band(p);
  const bool first_sees_none = band.upper && *band.upper < 0;
  const bool last_sees_none = band.lower && p.q_len - 1 + *band.lower > p.kv_len - 1;
  return first_sees_none || last_sees_none;
}

}  // namespace attncheck
