#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace attncheck::sim {

// What a rank did wrong with an exchange, whether or not the result shows it.
//   unwaited      a Work was dropped before wait() returned
//   read_early    the output of an exchange was read before it was waited for
//   written_early the input or the output of an exchange was written before it was waited for
//   aliased       an output overlaps an input where the exchange does not allow that
//   mismatch      the ranks of a group posted exchanges that do not fit each other
//   unmatched     an exchange that some of the ranks that it needs never posted
enum class FindingKind { unwaited, read_early, written_early, aliased, mismatch, unmatched };
const char* name_of(FindingKind kind);

struct Finding {
  FindingKind kind = FindingKind::unwaited;
  int rank = 0;           // of the world
  std::string operation;  // "allgather #3 of group [0,1]", as Pending::describe has it
  std::string text;       // one sentence that names the rank and the operation
};

// What a rank got from a peer by one kind of operation, in one run. Received bytes are what the
// operation hands to this rank from that peer's input: of an allgather the peer's tensor, of an
// alltoall and a reduce_scatter the peer's chunk for this rank, of an allreduce the peer's tensor,
// of a broadcast the root's, of a message its data. Nothing counts that a rank gives to itself.
struct Traffic {
  int peer = 0;           // of the world
  std::string operation;  // "allgather", "send"
  int64_t bytes = 0;
  int64_t messages = 0;
};

// What the mesh saw of one rank in one run.
struct RankTrace {
  std::vector<Finding> findings;  // in the order of their time
  std::vector<Traffic> received;  // by peer, then by operation
};

}  // namespace attncheck::sim
