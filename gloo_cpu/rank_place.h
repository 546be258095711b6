#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace attncheck::gloo_cpu {

// What a rank process must know to take its place in a set. It travels in the environment, so that
// any command can be a rank's command:
//   ATTNCHECK_RANK, ATTNCHECK_WORLD       its rank, and how many ranks there are
//   ATTNCHECK_FD                          its end of the socket to the parent
//   ATTNCHECK_STORE                       where the set meets (stores.h)
//   ATTNCHECK_TRANSPORT                   gloo or nccl
//   ATTNCHECK_DEVICE                      where its tensors are: cpu or cuda
//   ATTNCHECK_LOCAL                       its number among the ranks of its machine, and how many
//                                         these are: "1/4"; it decides which GPU is the rank's
//   ATTNCHECK_NETWORK                     what Gloo binds to: a host's name or address, or
//                                         interface:NAME; empty: what the system takes by default
//   ATTNCHECK_GROUP_TIMEOUT_MS            when a collective gives up
//   ATTNCHECK_SHARED_WORD                 the descriptor of a SharedWord of the parent's, or -1
struct RankPlace {
  int rank = 0;
  int world = 1;
  int socket = -1;
  std::string store;
  std::string transport = "gloo";
  std::string device = "cpu";
  int local_rank = 0, local_world = 1;
  std::string network;
  std::chrono::milliseconds group_timeout{0};
  int shared_word = -1;
};

// True in a process that a RankSet started, until serve_rank takes the place.
bool is_rank_process();
// The transport of such a process.
std::string rank_transport();

// Reads the place and removes it from the environment, so that what the rank itself starts is no
// rank. Throws if a variable is missing or no number.
RankPlace take_rank_place();

// This process's environment with `place` in it, as "NAME=value" entries.
std::vector<std::string> environment_of(const RankPlace& place);

}  // namespace attncheck::gloo_cpu
