#include "properties/trace.h"

#include "problem/words.h"

namespace attncheck {
namespace {

constexpr Words<Finding::Kind, 6> kFindingWords{
    {"unwaited", "read_early", "written_early", "aliased", "mismatch", "unmatched"}};

}  // namespace

const char* to_text(Finding::Kind kind) {
  return kFindingWords.of(kind);
}

int64_t RankTrace::received_bytes() const {
  int64_t bytes = 0;
  for (const Received& part : received) bytes += part.bytes;
  return bytes;
}

}  // namespace attncheck
