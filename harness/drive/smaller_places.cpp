#include "harness/drive/smaller_places.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace attncheck {

void add_smaller_shards(const Case& c, std::vector<Case>& all) {
  const std::vector<int64_t>& shards = c.problem.shards;
  const int64_t sum = std::accumulate(shards.begin(), shards.end(), int64_t{0});
  for (size_t i = 0; i < shards.size(); ++i) {
    for (const int64_t less : {shards[i], int64_t{1}}) {
      if (less == 0 || less > shards[i] || less == sum) continue;
      all.push_back(c);
      Problem& p = all.back().problem;
      p.shards[i] -= less;
      if (c.problem.q_len == sum) p.q_len -= less;
      if (c.problem.kv_len == sum) p.kv_len -= less;
    }
  }
}

void add_smaller_windows(const Case& c, std::vector<Case>& all) {
  if (!c.problem.window || *c.problem.window == 0) return;
  const size_t drawn = all.size();
  for (size_t i = 0; i < drawn; ++i) {
    const int64_t less = c.problem.kv_len - all[i].problem.kv_len;
    if (less <= 0 || !all[i].problem.window) continue;
    for (const int64_t window : {int64_t{0}, std::max<int64_t>(0, *c.problem.window - less)}) {
      Case smaller = all[i];
      smaller.problem.window = window;
      all.push_back(std::move(smaller));
    }
  }
}

void add_smaller_documents(const Case& c, std::vector<Case>& all) {
  const std::vector<int64_t>& documents = c.problem.documents;
  for (size_t i = 0; i < documents.size(); ++i) {
    for (const int64_t length : {int64_t{1}, documents[i] / 2}) {
      const int64_t less = documents[i] - length;
      if (less < 1 || length < 1) continue;
      all.push_back(c);
      Problem& p = all.back().problem;
      p.documents[i] = length;
      p.q_len -= less;
      p.kv_len -= less;
    }
  }
}

void add_fewer_joint_tokens(const Case& c, std::vector<Case>& all) {
  const int64_t tokens = c.problem.joint.tokens;
  for (const int64_t less : {tokens, tokens - 1, int64_t{1}}) {
    if (less < 1 || less > tokens) continue;
    Case smaller = c;
    Problem& p = smaller.problem;
    p.joint.tokens -= less;
    if (p.joint.tokens == 0) p.joint = Joint{};
    p.q_len -= less;
    p.kv_len -= less;
    all.push_back(std::move(smaller));
  }
}

Case with_fitting_documents(Case c) {
  Problem& p = c.problem;
  if (documents_fit(p) || p.q_len != p.kv_len) return c;
  std::vector<int64_t> documents;
  int64_t left = p.q_len;
  for (const int64_t length : p.documents) {
    if (left == 0) break;
    documents.push_back(std::min(length, left));
    left -= documents.back();
  }
  p.documents = std::move(documents);
  return c;
}

}  // namespace attncheck
