#include "problem/problem_faults.h"

#include <algorithm>
#include <numeric>

#include "problem/lengths.h"

namespace attncheck {
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
  const std::string what = "shards=" + lengths_text(p.shards);
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

std::vector<std::string> place_faults(const Problem& p) {
  std::vector<std::string> faults;
  if (p.window && *p.window < 0) {
    faults.push_back("window=" + std::to_string(*p.window) + " is less than 0 places");
  }
  if (p.documents.empty()) return faults;
  const std::string what = "documents=" + lengths_text(p.documents);
  if (std::any_of(p.documents.begin(), p.documents.end(), [](int64_t n) { return n < 1; })) {
    faults.push_back(what + " has a document without tokens");
    return faults;
  }
  const int64_t sum = std::accumulate(p.documents.begin(), p.documents.end(), int64_t{0});
  if (sum != p.q_len || sum != p.kv_len) {
    faults.push_back(what + " adds up to " + std::to_string(sum) + ": expected q=" +
                     std::to_string(p.q_len) + " and kv=" + std::to_string(p.kv_len));
  }
  return faults;
}

std::vector<std::string> joint_faults(const Problem& p) {
  if (p.joint.tokens == 0) return {};
  if (p.joint.tokens < 0 || p.joint.place == JointPlace::none) {
    return {std::to_string(p.joint.tokens) + " joint tokens without a place, front or rear"};
  }
  if (sees_every_place(p)) return {};
  return {
      "joint tokens have no place among causal ones, a window or documents: leave "
      "joint= or these out"};
}

}  // namespace attncheck
