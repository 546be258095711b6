#include "harness/scale/record.h"

#include <gtest/gtest.h>

#include "harness/registry.h"
#include "impl/ring/ring_attention.h"
#include "impl/ulysses/ulysses_attention.h"
#include "impl/unified/unified_attention.h"
#include "problem/case_text.h"
#include "reference/traffic.h"

namespace attncheck::scale {
namespace {

const Registry& registry() {
  static const Registry built_in{
      {ring_implementation(), ulysses_implementation(), unified_implementation()}, {}, {}, {}, {}};
  return built_in;
}

class Recorded : public testing::TestWithParam<const char*> {};

// The real code at any size: nothing of these tensors is in memory.
TEST_P(Recorded, ReceivesWhatTheMethodTakes) {
  const Case c = parse_case(GetParam());
  reference::TrafficShape shape;
  shape.q_lens.assign(c.mesh.world(), c.problem.q_len / c.mesh.world());
  shape.kv_lens.assign(c.mesh.world(), c.problem.kv_len / c.mesh.world());
  shape.io_bytes = 2;
  shape.sum_bytes = shape.lse_bytes = 4;
  for (int rank : {0, c.mesh.world() - 1}) {
    const Script script = record(registry(), c, rank);
    const reference::Traffic theory = reference::unified_traffic(c, shape, rank);
    EXPECT_EQ(script.received_bytes(), theory.forward.most + theory.backward.most);
  }
}

// 2 (D + E) a pair forward and 2 (3 D + 2 E) backward, the pairs shared by all ranks.
TEST_P(Recorded, ComputesEachPairOnce) {
  const Case c = parse_case(GetParam());
  const Problem& p = c.problem;
  double flops = 0;
  for (int ring = 0; ring < c.mesh.ring; ++ring) {
    flops += c.mesh.ulysses * record(registry(), c, c.mesh.rank(ring, 0)).flops();
  }
  const auto q = static_cast<double>(p.q_len), kv = static_cast<double>(p.kv_len);
  const double pairs = p.causal ? q * (q + 1) / 2 : q * kv;
  const double a_pair = 2.0 * static_cast<double>(4 * p.head_dim + 3 * p.v_head_dim);
  EXPECT_DOUBLE_EQ(flops, static_cast<double>(p.batch * p.heads) * pairs * a_pair);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, Recorded,
    testing::Values(
        "impl=ring mesh=8x1 q=75600 h=40 d=128 dtype=bf16 return_lse=0",
        "impl=ring mesh=8x1 q=75600 h=40 d=128 dtype=bf16 return_lse=0 rotate=p2p",
        "impl=ulysses mesh=1x8 q=75600 h=40 d=128 dtype=bf16 return_lse=0",
        "impl=unified mesh=4x2 q=75600 kv=512 h=40 d=128 dv=64 dtype=bf16 return_lse=0",
        "impl=unified mesh=4x2 q=131072 h=32 hkv=8 d=128 dtype=bf16 causal=1 return_lse=0"));

TEST(Record, RefusesWhatTheImplementationRefuses) {
  const Case c = parse_case("impl=ulysses mesh=1x3 q=9 h=3 d=8 dropout=0.1");
  const Support supported = supports(registry(), c);
  EXPECT_FALSE(supported.ok);
  EXPECT_NE(supported.reason.find("dropout"), std::string::npos);
}

}  // namespace
}  // namespace attncheck::scale
