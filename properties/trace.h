#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace attncheck {

// What a rank did wrong with an exchange, whether or not the result shows it.
//   unwaited       a Work was dropped before its wait() returned
//   read_early     the output of an exchange was read before it was waited for
//   written_early  the input or the output of an exchange was written before it was waited for
//   aliased        an output overlaps an input where the exchange does not allow that
//   mismatch       the ranks of a group posted exchanges that do not fit each other
//   unmatched      an exchange that some of the ranks that it needs never posted
struct Finding {
  enum class Kind { unwaited, read_early, written_early, aliased, mismatch, unmatched };
  Kind kind = Kind::unwaited;
  std::string operation;  // "allgather #3 of group [0,1]"
  std::string text;       // one sentence that names the rank and the operation
};
const char* to_text(Finding::Kind kind);

// What a rank got from another one by one kind of operation.
struct Received {
  int peer = 0;           // mesh rank
  std::string operation;  // "allgather", "send"
  int64_t bytes = 0;
  int64_t messages = 0;
};

// What a transport that sees every exchange saw of one rank in one run.
struct RankTrace {
  std::vector<Finding> findings;
  std::vector<Received> received;

  int64_t received_bytes() const;
};

}  // namespace attncheck
