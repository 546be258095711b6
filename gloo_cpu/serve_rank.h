#pragma once

#include <functional>
#include <string>

#include "gloo_cpu/group_factory.h"
#include "gloo_cpu/group_maker.h"
#include "gloo_cpu/rank_place.h"

// The rank's side. A program that can be a rank command begins with
//   if (gloo_cpu::is_rank_process()) return gloo_cpu::serve_rank(answer);

namespace attncheck::gloo_cpu {

// What a rank makes of a request. Errors that are results belong into the answer's bytes; an
// exception that leaves the function ends the process (SIGABRT, its text in the log).
using Answer = std::function<std::string(const std::string& request, GroupFactory& groups)>;

// What a rank's place makes of its groups.
using MakeGroups = std::function<std::unique_ptr<GroupMaker>(const RankPlace& place)>;

// Takes this process's place in its set (environment, rank_place.h) and answers requests until the
// parent hangs up. Returns the exit status, 0. Call it before anything starts threads: it makes
// the process SCHED_BATCH, without which Gloo's polling thread preempts the other ranks (27 ms
// instead of 4 ms a case on two cores), and sets one intra-op thread.
int serve_rank(const Answer& answer, const MakeGroups& make_groups);
// The same over Gloo and with tensors on the CPU, whatever the place says.
int serve_rank(const Answer& answer);

}  // namespace attncheck::gloo_cpu
