#include "harness/bench/bare_work.h"

#include <optional>
#include <set>

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <gtest/gtest.h>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "harness/bench/interleaved.h"
#include "harness/bench/loopback.h"
#include "harness/drive/case_stream.h"
#include "impl/backends/built_in.h"
#include "impl/collectives/exchange.h"
#include "impl/unified/unified_attention.h"
#include "problem/case_text.h"

namespace attncheck::bench {
namespace {

at::Tensor numbers(int64_t count) {
  return at::arange(count, at::TensorOptions(at::kDouble));
}

TEST(Loopback, GivesARankItsOwnInTheShapeOfAnExchange) {
  const MeshGroups groups = loopback_groups(parse_mesh("3x2"), 4);
  EXPECT_EQ(group_rank(*groups.ring), 2);
  EXPECT_EQ(group_rank(*groups.ulysses), 0);
  const at::Tensor x = numbers(6).view({1, 6});
  const at::Tensor all = all_gather(x, *groups.world, 0);
  EXPECT_TRUE(all.equal(x.expand({6, 6})));
  EXPECT_EQ(all_to_all(x, *groups.ring, 1, 0).sizes(), (std::vector<int64_t>{3, 2}));
  const auto shifted = shift({x, x + 1}, *groups.ring, 1);
  EXPECT_TRUE(shifted[0].equal(x));
  EXPECT_TRUE(shifted[1].equal(x + 1));
}

// An implementation that only counts its calls, by rank.
Implementation counting(std::multiset<int>& calls) {
  Implementation unified = unified_implementation();
  unified.attention = [&calls, right = unified.attention](
                          const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                          const AttentionOptions& options, const MeshGroups& groups) {
    calls.insert(groups.rank);
    return right(q, k, v, options, groups);
  };
  return unified;
}

TEST(BareWork, RunsEveryRankOfTheMeshOnce) {
  std::multiset<int> calls;
  Registry registry;
  registry.implementations = {counting(calls)};
  registry.backends = built_in_backends();
  BareWork bare(registry);
  for (const char* words : {"mesh=2x2 q=8 h=2 d=3", "mesh=2x2 q=8 h=2 d=3 rotate=p2p"}) {
    calls.clear();
    bare(base_request(parse_case(std::string("impl=unified ") + words)));
    EXPECT_EQ(calls, (std::multiset<int>{0, 1, 2, 3}));
  }
}

// A check, run bare, may have drawn anything: uneven shards, documents, joint tokens.
TEST(BareWork, RunsWhateverIsDrawn) {
  Registry registry;
  registry.implementations = {unified_implementation()};
  registry.backends = built_in_backends();
  BareWork bare(registry);
  StreamSpec spec;
  spec.impl = "unified";
  spec.meshes = {{2, 2}, {3, 1}, {1, 3}};
  CaseStream stream(
      spec, [&registry](const Case& c) { return registry.supports(c); }, /*seed=*/1);
  for (int i = 0; i < 60; ++i) {
    const std::optional<Case> c = stream.next();
    ASSERT_TRUE(c);
    EXPECT_NO_THROW(bare(base_request(*c))) << to_text(*c);
  }
}

TEST(BareWork, KnowsWhatItWasGivenAlone) {
  const Registry registry;
  BareWork bare(registry);
  EXPECT_THROW(bare(base_request(parse_case("impl=ring mesh=1x1 q=1 d=1"))), c10::Error);
}

TEST(Interleaved, RunsBothEquallyOften) {
  int over = 0, under = 0;
  const Interleaved times = interleaved(
      5, [&] { ++over; }, [&] { ++under; });
  EXPECT_EQ(over, 6);
  EXPECT_EQ(under, 6);
  EXPECT_EQ(times.ratios.size(), 5u);
}

}  // namespace
}  // namespace attncheck::bench
