#include "problem/problem_faults.h"

#include <algorithm>
#include <numeric>

namespace attncheck {
namespace {

std::string listed(const std::vector<int64_t>& lengths) {
  std::string text;
  for (const int64_t length : lengths) text += (text.empty() ? "" : ",") + std::to_string(length);
  return text;
}

}  // namespace

std::vector<std::string> size_faults(const Problem& p) {
  std::vector<std::string> faults;
  if (p.kv_heads < 1 || p.heads % p.kv_heads != 0) {
    faults.push_back("h=" + std::to_string(p.heads) +
                     " is no multiple of hkv=" + std::to_string(p.kv_heads));
  }
  if (p.q_len < 1 || p.kv_len < 1) {
    faults.push_back("q=" + std::to_string(p.q_len) + " and kv=" + std::to_string(p.kv_len) +
                     ": both need a token");
  }
  return faults;
}

std::vector<std::string> shard_faults(const Problem& p, int ranks) {
  std::vector<std::string> faults;
  if (p.shards.empty()) return faults;
  const std::string what = "shards=" + listed(p.shards);
  if (p.layout != Layout::contiguous) {
    faults.push_back(what + " cuts a contiguous sequence: use layout=contiguous, or leave it out");
  }
  if (p.shards.size() != static_cast<size_t>(ranks)) {
    faults.push_back(what + " needs a length for each of the " + std::to_string(ranks) +
                     " ranks of the mesh");
  }
  if (std::any_of(p.shards.begin(), p.shards.end(), [](int64_t n) { return n < 0; })) {
    faults.push_back(what + " has a negative length");
    return faults;
  }
  const int64_t sum = std::accumulate(p.shards.begin(), p.shards.end(), int64_t{0});
  if (sum != p.q_len && sum != p.kv_len) {
    faults.push_back(
        what + " adds up to " + std::to_string(sum) + ": expected q=" + std::to_string(p.q_len) +
        " or kv=" + std::to_string(p.kv_len) + (p.joint.tokens > 0 ? ", joint tokens aside" : ""));
  }
  return faults;
}

}  // namespace attncheck
