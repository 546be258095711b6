#include "harness/scale/links.h"

#include <stdexcept>

#include <gtest/gtest.h>

namespace attncheck::scale {
namespace {

TEST(Links, AreKnownByNameOrByNumbers) {
  EXPECT_DOUBLE_EQ(parse_link("nvlink").bytes_per_second, 450e9);
  const Link mine = parse_link("mine:4:100.5");
  EXPECT_EQ(mine.name, "mine");
  EXPECT_DOUBLE_EQ(mine.seconds, 4e-6);
  EXPECT_DOUBLE_EQ(mine.bytes_per_second, 100.5e9);
}

TEST(Links, OtherTextIsRefused) {
  for (const char* text :
       {"", "nv", "a:b:c", "a:1", "a:1:0", "a:-1:5", "a:1:5x", "a:nan:5", ":1:1"}) {
    EXPECT_THROW(parse_link(text), std::invalid_argument) << text;
  }
}

TEST(Machine, AxesGoOverTheSlowestLinkThatTheyTouch) {
  const Machine machine{parse_link("nvlink"), parse_link("ib"), 8, 1e12};
  EXPECT_EQ(machine.ring_link({8, 1}).name, "nvlink");
  EXPECT_EQ(machine.ring_link({8, 2}).name, "ib");
  EXPECT_EQ(machine.ulysses_link({8, 8}).name, "nvlink");
  EXPECT_EQ(machine.ulysses_link({1, 16}).name, "ib");
  EXPECT_EQ(machine.ulysses_link({1, 3}).name, "nvlink");
  EXPECT_EQ(machine.ulysses_link({4, 3}).name, "ib");  // groups of 3 do not stay in nodes of 8
}

}  // namespace
}  // namespace attncheck::scale
