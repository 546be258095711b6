#include "harness/drive/matrix_run.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "harness/drive/matrix_report.h"
#include "tests/harness/drive/planted_mutants.h"

namespace attncheck {
namespace {

constexpr int64_t kMostCases = 30;

KillMatrix matrix_on(const std::vector<Mutant>& mutants, const std::vector<Property>& properties,
                     size_t lane_count = 1, int seeds = 3) {
  PropertyList list;
  KillMatrix matrix;
  matrix.cases = kMostCases;
  for (const Property& property : properties) {
    list.push_back(&property);
    matrix.properties.push_back(property.name);
  }
  Lanes lanes(oracle_lanes(lane_count));
  MatrixOptions options;
  options.cases = kMostCases;
  options.seed = 5;
  options.seeds = seeds;
  for (int i = 0; i < seeds; ++i) matrix.seeds.push_back(5 + i);
  matrix.rows = matrix_rows(all_of_mutants(mutants), list, lanes, options);
  return matrix;
}

bool is_of(const Case& c, const char* mutant) {
  return c.impl == std::string("mutant:") + mutant;
}

// One catches every mutant at once, one none, one a single mutant on some cases.
std::vector<Property> killer_idler_and_specialist() {
  return {property_named("killer",
                         [](const Case& c) {
                           return is_of(c, "b") ? Verdict::pass() : Verdict::fail("at once");
                         }),
          holding("idler"), property_named("specialist", [](const Case& c) {
            const bool seen = is_of(c, "b") && c.problem.batch > 1;
            return seen ? Verdict::fail("a batch") : Verdict::pass();
          })};
}

TEST(MatrixRun, TellsAKillerAnIdlerAndASpecialistApart) {
  const KillMatrix matrix = matrix_on({mutant_named("a", "killer"), mutant_named("b", "killer")},
                                      killer_idler_and_specialist());
  const auto columns = columns_of(matrix);
  EXPECT_EQ(columns[0].alone, (std::vector<std::string>{"a"}));
  EXPECT_EQ(columns[0].cases, 1);
  EXPECT_EQ(columns[1].kills, 0);
  EXPECT_EQ(columns[2].alone, (std::vector<std::string>{"b"}));
  EXPECT_EQ(matrix.exit_code(), 0);
  const MatrixRow& a = matrix.rows[0];
  EXPECT_EQ(a.pairs[0].caught, (std::vector<std::optional<int64_t>>{1, 1, 1}));
  EXPECT_EQ(a.pairs[0].judged, 3) << "a property judges no more of a seed once it failed";
  EXPECT_EQ(a.pairs[1].judged, 3 * kMostCases + 1) << "and the listed case";
  EXPECT_EQ(a.cases, 3 * kMostCases);
}

TEST(MatrixRun, CountsTheCasesOfEachSeedThatCameUntilTheFailure) {
  std::vector<bool> batches;
  const Property notes = property_named("notes", [&batches](const Case& c) {
    batches.push_back(c.problem.batch > 1);
    return Verdict::pass();
  });
  matrix_on({mutant_named("b", "notes")}, {notes}, 1, 1);
  const auto first = std::ranges::find(batches, true) - batches.begin();
  const KillMatrix matrix =
      matrix_on({mutant_named("b", "x")}, killer_idler_and_specialist(), 1, 1);
  EXPECT_EQ(matrix.rows[0].pairs[2].caught[0], first + 1);
}

TEST(MatrixRun, TheListedCaseCountsWhereTooFewSeedsShowTheMutant) {
  int judged = 0;
  const int listed = 2 + 2 * kMostCases;  // after one case of the first seed, and two seeds in vain
  const Property rare = property_named("rare", [&](const Case&) {
    ++judged;
    return judged == 1 || judged == listed ? Verdict::fail("now and then") : Verdict::pass();
  });
  const MatrixRow row = matrix_on({mutant_named("a", "rare")}, {rare}).rows[0];
  EXPECT_EQ(row.pairs[0].caught,
            (std::vector<std::optional<int64_t>>{1, std::nullopt, std::nullopt}));
  EXPECT_TRUE(row.pairs[0].by_listed);
  EXPECT_EQ(row.state(), HuntState::caught);
}

TEST(MatrixRun, WhatDidNotJudgeDidNotHold) {
  Property elsewhere = holding("elsewhere");
  elsewhere.applies = [](const Case&) { return Support::no("other cases"); };
  Property of_merges = holding("of_merges");
  of_merges.subjects = {SubjectKind::merge};
  const Property cannot =
      property_named("cannot", [](const Case&) { return Verdict::not_run("no ranks"); });
  const Property at_times = property_named("at_times", [](const Case& c) {
    return c.seed % 2 == 0 ? Verdict::not_run("no ranks") : Verdict::pass();
  });
  const auto pairs =
      matrix_on({mutant_named("a", "x")}, {elsewhere, of_merges, cannot, at_times}).rows[0].pairs;
  EXPECT_EQ(pairs[0].verdict, Verdict::Kind::unsupported);
  EXPECT_EQ(pairs[0].reason, "other cases");
  EXPECT_EQ(pairs[1].verdict, Verdict::Kind::unsupported);
  EXPECT_EQ(pairs[2].verdict, Verdict::Kind::not_run);
  EXPECT_EQ(pairs[2].reason, "no ranks");
  EXPECT_EQ(pairs[2].judged, 0);
  EXPECT_EQ(pairs[3].verdict, Verdict::Kind::pass);
  EXPECT_GT(pairs[3].judged, 0);
  EXPECT_LT(pairs[3].judged, 3 * kMostCases);
}

TEST(MatrixRun, TriesTheListedCaseWithThoseThatNoDrawnCaseMadeFail) {
  const Mutant mutant = mutant_named("a", "x");
  const Property listed = property_named("listed", [&mutant](const Case& c) {
    return c == mutant.smallest ? Verdict::fail("it") : Verdict::pass();
  });
  const MatrixPair pair = matrix_on({mutant}, {listed}).rows[0].pairs[0];
  EXPECT_TRUE(pair.by_listed);
  EXPECT_TRUE(pair.kills());
  EXPECT_EQ(pair.cases(), std::nullopt);
}

TEST(MatrixRun, IsTheSameForAnyNumberOfLanesAndAnyOtherMutants) {
  std::vector<Mutant> mutants;
  for (const char* name : {"a", "b", "c", "d", "e"}) mutants.push_back(mutant_named(name, "x"));
  const auto told = [](KillMatrix matrix) {
    for (MatrixRow& row : matrix.rows) row.seconds = 0;
    return report_text(matrix) + report_json(matrix);
  };
  const std::string one = told(matrix_on(mutants, killer_idler_and_specialist(), 1));
  EXPECT_EQ(one, told(matrix_on(mutants, killer_idler_and_specialist(), 2)));
  EXPECT_EQ(one, told(matrix_on(mutants, killer_idler_and_specialist(), 4)));
  KillMatrix alone = matrix_on({mutants[1]}, killer_idler_and_specialist());
  KillMatrix among = matrix_on(mutants, killer_idler_and_specialist());
  among.rows = {among.rows[1]};
  EXPECT_EQ(told(std::move(alone)), told(std::move(among)));
}

}  // namespace
}  // namespace attncheck
