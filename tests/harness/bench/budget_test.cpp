#include "harness/bench/budget.h"

#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "harness/bench/measurements.h"

namespace attncheck::bench {
namespace {

Measured with_ratios(double limit, bool at_most, const std::vector<double>& ratios) {
  return measured({"some", "one thing against another", limit, at_most}, ratios, "2 ms, 1 ms");
}

const Measured kUnmeasured{{"other", "what needs two cores", 2, false}, {}, "has one core", ""};

TEST(Budget, IsMetByTheMedian) {
  EXPECT_EQ(with_ratios(1.25, true, {1.1, 1.2, 9.0}).verdict(), "met");
  EXPECT_EQ(with_ratios(1.25, true, {1.1, 1.3, 1.3}).verdict(), "missed");
  EXPECT_EQ(with_ratios(50, false, {60, 50, 40}).verdict(), "met");
  EXPECT_EQ(with_ratios(50, false, {60, 49, 40}).verdict(), "missed");
  EXPECT_EQ(kUnmeasured.verdict(), "not_run");
}

TEST(Budget, SpreadOfFewIsFromTheLeastToTheLargest) {
  const Spread ratio = spread_of({3, 1, 2});
  EXPECT_EQ(ratio.median, 2);
  EXPECT_EQ(ratio.low, 1);
  EXPECT_EQ(ratio.high, 3);
}

TEST(Budget, SpreadIsThatOfTheMiddleHalf) {
  const Spread ratio = spread_of({5, 1, 3, 2, 4});
  EXPECT_EQ(ratio.median, 3);
  EXPECT_EQ(ratio.low, 2);
  EXPECT_EQ(ratio.high, 4);
  EXPECT_EQ(ratio.repetitions, 5);
  EXPECT_EQ(spread_of({1, 2, 4, 8}).median, 3);
  EXPECT_EQ(spread_of({7}).low, 7);
}

TEST(BenchReport, ExitsByTheWorstOfItsBudgets) {
  BenchReport report;
  report.measured = {with_ratios(2, true, {1})};
  EXPECT_EQ(report.exit_code(), 0);
  report.measured.push_back(kUnmeasured);
  EXPECT_EQ(report.exit_code(), 3);
  report.measured.push_back(with_ratios(2, true, {3}));
  EXPECT_EQ(report.exit_code(), 1);
}

TEST(BenchReport, SaysEachBudgetWithItsSpreadOrWhyThereIsNone) {
  BenchReport report{
      "1.0", "2.11", 2, {with_ratios(1.25, true, {1.0, 1.1, 1.2, 1.3, 1.4}), kUnmeasured}, 7};
  const std::string text = report_text(report);
  for (const char* part : {"met", "1.20 x", "(1.10 to 1.30)", "at most 1.25", "2 ms, 1 ms",
                           "not_run", "at least 2", "has one core"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
  const auto json = nlohmann::json::parse(report_json(report));
  EXPECT_EQ(json["bench"], "harness");
  EXPECT_EQ(json["cores"], 2);
  const auto& first = json["budgets"][0];
  EXPECT_EQ(first["verdict"], "met");
  EXPECT_EQ(first["direction"], "at most");
  EXPECT_EQ(first["ratio"], 1.2);
  EXPECT_EQ(first["repetitions"], 5);
  EXPECT_EQ(json["budgets"][1]["reason"], "has one core");
  EXPECT_FALSE(json["budgets"][1].contains("ratio"));
}

TEST(Measurements, HaveNamesOfTheirOwn) {
  std::set<std::string> names;
  for (const Measurement& m : all_measurements()) {
    EXPECT_TRUE(names.insert(m.budget.name).second) << m.budget.name;
    EXPECT_GT(m.budget.limit, 0);
  }
  EXPECT_EQ(names.size(), 11u);
}

TEST(Measurements, WhatCannotBeMeasuredIsNotRun) {
  const Registry nothing;
  const BenchSetup setup{.registry = nothing, .rank_command = {}, .repetitions = 1};
  std::vector<std::string> told;
  const auto all = measure_all(
      {{{"some", "what", 1, true},
        [](const BenchSetup&, const Budget&) -> Measured { throw NotMeasurable{"no such core"}; }}},
      setup, [&](const std::string& name) { told.push_back(name); });
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].verdict(), "not_run");
  EXPECT_EQ(all[0].not_run, "no such core");
  EXPECT_EQ(told, std::vector<std::string>{"some"});
}

}  // namespace
}  // namespace attncheck::bench
