#include "harness/scale/timeline.h"

#include <stdexcept>

#include <gtest/gtest.h>

namespace attncheck::scale {
namespace {

// One second for 1 FLOP, one for 1 byte; an exchange takes a tenth more.
Machine slow_machine() {
  const Link link{"slow", 0.1, 1};
  return {link, link, 8, 1};
}

Exchange collective(int64_t bytes) {
  return {Exchange::Kind::collective, Axis::ring, 0, 0, bytes};
}

TEST(Timeline, AnExchangeThatIsWaitedForAtOnceIsNotHidden) {
  Script script;
  script.compute(3);
  script.wait(script.post(collective(2)));
  const Prediction p = predict({script, script}, {2, 1}, slow_machine());
  EXPECT_DOUBLE_EQ(p.seconds, 5.1);
  EXPECT_DOUBLE_EQ(p.waited, 2.1);
  EXPECT_EQ(p.received_bytes, 2);
}

TEST(Timeline, WhatIsComputedMeanwhileHidesIt) {
  Script script;
  const size_t exchange = script.post(collective(2));
  script.compute(3);
  script.wait(exchange);
  const Prediction p = predict({script, script}, {2, 1}, slow_machine());
  EXPECT_DOUBLE_EQ(p.seconds, 3);
  EXPECT_DOUBLE_EQ(p.waited, 0);
}

TEST(Timeline, ACollectiveBeginsWithItsLastRank) {
  Script early, late;
  early.wait(early.post(collective(1)));
  late.compute(4);
  late.wait(late.post(collective(1)));
  const Prediction p = predict({early, late}, {2, 1}, slow_machine());
  EXPECT_DOUBLE_EQ(p.seconds, 5.1);
  EXPECT_DOUBLE_EQ(p.compute, 4);  // of the rank that computes most
}

TEST(Timeline, ALinkCarriesOneExchangeAtATime) {
  Script script;
  const size_t first = script.post(collective(2)), second = script.post(collective(3));
  script.wait(second);
  script.wait(first);
  EXPECT_DOUBLE_EQ(predict({script}, {1, 1}, slow_machine()).seconds, 5.2);
}

TEST(Timeline, AMessageBeginsWhenBothSidesArePosted) {
  Script sender, receiver;
  sender.compute(2);
  sender.wait(sender.post({Exchange::Kind::send, Axis::ring, 1, 7, 1}));
  receiver.wait(receiver.post({Exchange::Kind::receive, Axis::ring, 0, 7, 1}));
  EXPECT_DOUBLE_EQ(predict({sender, receiver}, {2, 1}, slow_machine()).seconds, 3.1);
}

TEST(Timeline, RanksThatWaitForNothingAreRefused) {
  Script sender, idle;
  sender.wait(sender.post({Exchange::Kind::send, Axis::ring, 1, 0, 1}));
  EXPECT_THROW(predict({sender, idle}, {2, 1}, slow_machine()), std::invalid_argument);
}

}  // namespace
}  // namespace attncheck::scale
