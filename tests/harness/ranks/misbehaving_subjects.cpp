#include "tests/harness/ranks/misbehaving_subjects.h"

#include <chrono>
#include <cstdlib>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include <ATen/ops/ones.h>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "impl/ring/ring_attention.h"
#include "tests/gloo_cpu/left_behind.h"

namespace attncheck {
namespace {

constexpr int kMisbehavingRank = 1;

using Before = std::function<void(const MeshGroups&)>;
using After = std::function<void(Attention&)>;

Implementation misbehaving(const std::string& name, const Before& before, const After& after = {}) {
  Implementation ring = ring_implementation();
  ring.name = name;
  ring.attention = [right = ring.attention, before, after](at::Tensor q, at::Tensor k, at::Tensor v,
                                                           const AttentionOptions& options,
                                                           const MeshGroups& groups) {
    const bool here = groups.rank == kMisbehavingRank && options.kv_len > 1;
    if (here && before) before(groups);
    Attention result = right(q, k, v, options, groups);
    if (here && after) after(result);
    return result;
  };
  return ring;
}

void be_unhappy(const MeshGroups&) {
  throw std::runtime_error("rank 1 is unhappy");
}

void write_to_nowhere(const MeshGroups&) {
  volatile int* nowhere = nullptr;
  *nowhere = 1;
}

void loop_for_ever(const MeshGroups&) {
  for (volatile int turns = 0;;) turns = turns + 1;
}

void take_memory_for_ever(const MeshGroups&) {
  constexpr size_t kStep = size_t{16} << 20;
  for (std::vector<std::unique_ptr<std::string>> taken;;) {
    taken.push_back(std::make_unique<std::string>(kStep, 'x'));
  }
}

void reduce_once_more(const MeshGroups& groups) {
  std::vector<at::Tensor> one{at::ones({1})};
  groups.world->allreduce(one)->wait();
}

void leave_a_thread(const MeshGroups&) {
  std::thread([] {
    for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
  }).detach();
}

}  // namespace

std::vector<Implementation> misbehaving_subjects() {
  return {
      misbehaving("ring_that_throws", be_unhappy),
      misbehaving("ring_that_segfaults", write_to_nowhere),
      misbehaving("ring_that_aborts", [](const MeshGroups&) { std::abort(); }),
      misbehaving("ring_that_exits", [](const MeshGroups&) { std::exit(0); }),
      misbehaving("ring_that_loops", loop_for_ever),
      misbehaving("ring_that_hoards", take_memory_for_ever),
      misbehaving("ring_of_wrong_shape", {}, [](Attention& a) { a.out = a.out.unsqueeze(0); }),
      misbehaving("ring_of_wrong_dtype", {}, [](Attention& a) { a.out = a.out.to(at::kFloat); }),
      misbehaving("ring_without_out", {}, [](Attention& a) { a.out = at::Tensor(); }),
      misbehaving("ring_that_reduces_once_more", reduce_once_more),
      misbehaving("ring_that_leaves_threads", leave_a_thread),
      misbehaving("ring_that_leaves_processes", [](const MeshGroups&) { leave_a_process(false); }),
  };
}

}  // namespace attncheck
