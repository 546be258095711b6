#include "harness/timing/throughput.h"

#include <stdexcept>

#include <gtest/gtest.h>

namespace attncheck::timing {
namespace {

// 4 ranks, 3 bytes of each, a second.
TEST(Bandwidth, OfAnAllGatherCountsWhatARankHasInTheEnd) {
  const Bandwidth found = bandwidth(ExchangeKind::all_gather, 3, 4, 1);
  EXPECT_DOUBLE_EQ(found.algorithm, 12);
  EXPECT_DOUBLE_EQ(found.bus, 9);
}

TEST(Bandwidth, OfAnAllToAllLeavesOutWhatStaysAtHome) {
  const Bandwidth found = bandwidth(ExchangeKind::all_to_all, 4, 4, 1);
  EXPECT_DOUBLE_EQ(found.algorithm, 4);
  EXPECT_DOUBLE_EQ(found.bus, 3);
}

TEST(Bandwidth, OfSendAndReceiveIsThatOfOneMessage) {
  const Bandwidth found = bandwidth(ExchangeKind::send_recv, 8, 4, 2);
  EXPECT_DOUBLE_EQ(found.algorithm, 4);
  EXPECT_DOUBLE_EQ(found.bus, 4);
}

// What goes through a link in one direction, received bytes over time.
TEST(Bandwidth, OfTheBusIsWhatARankReceives) {
  for (int ranks : {2, 3, 8}) {
    const int64_t bytes = 24;
    EXPECT_DOUBLE_EQ(bandwidth(ExchangeKind::all_gather, bytes, ranks, 1).bus,
                     double(bytes) * (ranks - 1));
    EXPECT_DOUBLE_EQ(bandwidth(ExchangeKind::all_to_all, bytes, ranks, 1).bus,
                     double(bytes) / ranks * (ranks - 1));
  }
}

TEST(Bandwidth, OfOneRankIsNone) {
  for (ExchangeKind kind : all_exchanges()) EXPECT_EQ(bandwidth(kind, 8, 1, 1).bus, 0);
}

TEST(Exchanges, AreNamedAsNcclTestsNamesThem) {
  for (ExchangeKind kind : all_exchanges()) EXPECT_EQ(parse_exchange(to_text(kind)), kind);
  EXPECT_THROW(parse_exchange("all_reduce"), std::invalid_argument);
}

Problem small() {
  Problem p;
  p.batch = 2;
  p.q_len = 3;
  p.kv_len = 5;
  p.heads = p.kv_heads = 7;
  p.head_dim = 11;
  p.v_head_dim = 13;
  return p;
}

TEST(Products, AreThoseOfTwoAndFiveMatrices) {
  const Products found = products_of(small());
  EXPECT_DOUBLE_EQ(found.forward, 2.0 * 2 * 7 * 15 * (11 + 13));
  EXPECT_DOUBLE_EQ(found.backward, 2.0 * 2 * 7 * 15 * (3 * 11 + 2 * 13));
}

TEST(Products, CountWhatTheDiagonalLetsSee) {
  Problem p = small();
  p.causal = true;
  EXPECT_DOUBLE_EQ(products_of(p).forward, products_of(small()).forward * 6 / 15);
  p.align = Align::bottom_right;
  EXPECT_DOUBLE_EQ(products_of(p).forward, products_of(small()).forward * 12 / 15);
}

TEST(PercentOfAlone, IsAHundredWhereTheRanksShareTheTime) {
  EXPECT_DOUBLE_EQ(percent_of_alone(8, 2, 4), 100);
  EXPECT_DOUBLE_EQ(percent_of_alone(8, 4, 4), 50);
  EXPECT_DOUBLE_EQ(percent_of_alone(3, 3, 1), 100);
}

}  // namespace
}  // namespace attncheck::timing
