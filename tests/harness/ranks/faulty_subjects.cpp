#include "tests/harness/ranks/faulty_subjects.h"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <thread>
#include <utility>

#include <ATen/core/Tensor.h>
#include <unistd.h>

#include "impl/allgather_kv/allgather_kv_attention.h"
#include "impl/backends/built_in.h"
#include "impl/models/catalogue.h"
#include "impl/ring/ring_attention.h"
#include "impl/ulysses/ulysses_attention.h"
#include "impl/unified/unified_attention.h"
#include "tests/harness/ranks/misbehaving_subjects.h"

namespace attncheck {
namespace {

using Act = std::function<void()>;

constexpr int kFaultyRank = 1;
constexpr int64_t kFewestKeys = 3;

Implementation faulty(const std::string& name, const Act& act) {
  Implementation faulty = ring_implementation();
  faulty.name = name;
  faulty.attention = [right = ring_implementation().attention, act](
                         at::Tensor q, at::Tensor k, at::Tensor v, const AttentionOptions& options,
                         const MeshGroups& groups) {
    if (groups.rank == kFaultyRank && options.kv_len >= kFewestKeys) act();
    return right(q, k, v, options, groups);
  };
  return faulty;
}

// The parent is the same however often its ranks are started anew.
Act once(const Act& act) {
  return [act] {
    const auto mark =
        std::filesystem::temp_directory_path() / ("attncheck-once-" + std::to_string(::getppid()));
    if (std::filesystem::create_directory(mark)) act();
  };
}

void complain_and_abort() {
  std::fprintf(stderr, "out of luck\n");
  std::abort();
}

void leave() {
  ::_exit(7);
}

void sleep_for_ever() {
  for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
}

void throw_an_error() {
  throw std::runtime_error("only rank 1 is unhappy");
}

}  // namespace

Registry faulty_subjects() {
  Registry registry;
  registry.backends = built_in_backends();
  registry.implementations = {
      faulty("aborts", complain_and_abort),
      faulty("exits", leave),
      faulty("sleeps", sleep_for_ever),
      faulty("throws", throw_an_error),
      faulty("aborts_once", once(complain_and_abort)),
      faulty("killed_once", once([] { ::raise(SIGKILL); })),
      faulty("stopped_once", once([] { ::raise(SIGSTOP); })),
      faulty("throws_once", once(throw_an_error)),
      ring_implementation(),
      ulysses_implementation(),
      unified_implementation(),
      allgather_kv_implementation(),
  };
  for (Implementation& subject : misbehaving_subjects()) {
    registry.implementations.push_back(std::move(subject));
  }
  registry.models = built_in_models();
  return registry;
}

}  // namespace attncheck
