#pragma once

#include <string>
#include <vector>

#include "gloo_cpu/rank_set.h"

namespace attncheck::gloo_cpu {

// What became of a request on the ranks of one part of the world.
struct PartReplies {
  bool started = true;  // false: the ranks did not start, and nobody got the request
  bool usable = true;   // for another request
  std::vector<RankReply> replies;
};

// Bytes that cross a process border. `replies_from_bytes` throws for bytes that are none.
std::string to_bytes(const PartReplies& part);
PartReplies replies_from_bytes(const std::string& bytes);

}  // namespace attncheck::gloo_cpu
