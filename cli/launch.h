#pragma once

#include <memory>
#include <optional>
#include <string>

#include "cli/commands.h"
#include "problem/case.h"

namespace attncheck::gloo_cpu {
class LaunchedWorld;
}

namespace attncheck::cli {

// Where a transport's tensors are: "cpu" or "cuda".
std::string device_of(const std::string& transport, const RankArguments& ranks);

// Throws UsageError where the transport cannot have its tensors there, and std::runtime_error (exit
// 3) where there is no GPU, or no library for it, and the transport wants one.
void require_device(const std::string& transport, const RankArguments& ranks);

// The transports that a check asks for, by name: those that were named; of `all`, and where none
// was, sim and gloo, without sim where tensors are on a GPU. Each has its device.
void settle_devices(CheckArguments& arguments);

// Takes this process's place in the world that a launcher started, if one did and the transport is
// one of processes. Nothing where this process goes on, alone or as the coordinator: a check then
// has the launched world's meshes. The exit code where it has served. Throws UsageError, on every
// rank, where the meshes are not of the launched world; all ranks but 0 are silent from here on.
std::optional<int> join_launched_world(CheckArguments& arguments);
std::optional<int> join_launched_world(const Case& c, const RankArguments& ranks);
// The same for meshes of so many ranks; nothing given: as many as were launched, which it is then.
std::optional<int> join_launched_world(const std::string& transport, std::optional<int>& asked,
                                       const RankArguments& ranks);

// In a launched world, before a request that is wrong on every rank ends this one: a launcher ends
// all processes with the first, and rank 0 says what was wrong.
void let_the_first_rank_speak();

// The world that this process coordinates; none where it is alone.
std::shared_ptr<gloo_cpu::LaunchedWorld> launched_world();
// Lets the others go, with that exit code.
void leave_launched_world(int code);

}  // namespace attncheck::cli
