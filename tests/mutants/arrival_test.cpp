#include <algorithm>
#include <memory>

#include <ATen/Context.h>
#include <gtest/gtest.h>

#include "impl/backends/math.h"
#include "tests/impl/problems_testing.h"
#include "tests/mutants/launched_mesh.h"
#include "tests/mutants/mutant_testing.h"

namespace attncheck {
namespace {

// Any rank that could run, as the seed has it.
class Shuffled final : public sim::Schedule {
 public:
  explicit Shuffled(uint64_t seed) : state_(seed) {}
  int pick(const sim::ReadySet& ready, int) override {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return ready.nth(static_cast<int>((state_ >> 33) % ready.count()));
  }

 private:
  uint64_t state_;
};

at::Tensor dk_of(const Implementation& implementation, const MeshGroups& groups) {
  const Backend backend = math_backend();
  AttentionOptions options;
  options.backend = &backend;
  options.q_len = options.kv_len = groups.mesh.world();
  const auto shard = [&](uint64_t seed) {
    return testing::normal({1, 1, 1, 4}, 4 * groups.rank + seed).requires_grad_(true);
  };
  const at::Tensor k = shard(1);
  const at::Tensor out = implementation.attention(shard(0), k, shard(2), options, groups).out;
  return testing::gradients({out}, {k}, {shard(3).detach()})[0];
}

std::vector<at::Tensor> dk_by_rank(const testing::Launch& launch) {
  const auto implementation =
      std::get<Implementation>(testing::mutant("house_follows_arrival").subject);
  const Mesh mesh = parse_mesh("3x1");
  std::vector<at::Tensor> grads(mesh.world());
  const auto errors = errors_on_launched(launch, mesh, [&](const MeshGroups& groups) {
    grads[groups.rank] = dk_of(implementation, groups);
  });
  for (const auto& error : errors) EXPECT_EQ(error.value_or(""), "");
  return grads;
}

TEST(FollowsArrival, SumsRoundByTheOrderInWhichTheRanksRun) {
  const auto one = dk_by_rank({});
  double largest = 0;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const auto other = dk_by_rank({.schedule = [=] { return std::make_unique<Shuffled>(seed); }});
    for (size_t rank = 0; rank < one.size(); ++rank) {
      largest = std::max(largest, testing::difference(one[rank], other[rank]));
    }
  }
  EXPECT_GT(largest, 0);
  EXPECT_LT(largest, 1e-15);
}

// Fresh memory holds NaN while it lives.
class NanFill {
 public:
  NanFill() { set(true); }
  ~NanFill() { set(false); }

 private:
  static void set(bool on) {
    at::globalContext().setDeterministicAlgorithms(on, /*warn_only=*/true);
    at::globalContext().setDeterministicFillUninitializedMemory(on);
  }
};

TEST(EmptyRank, LeavesOutAndLseUnwrittenAndZeroGradients) {
  const NanFill fill;
  EXPECT_EQ(testing::outcome("C13", "mesh=2x1 q=4 kv=2 d=1 causal=1 align=br").wrong, "out lse");
  EXPECT_EQ(testing::outcome("C13", "mesh=2x1 q=6 kv=4 d=1 causal=1 align=br").wrong, "");
}

}  // namespace
}  // namespace attncheck
