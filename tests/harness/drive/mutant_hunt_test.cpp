#include "harness/drive/mutant_hunt.h"

#include <gtest/gtest.h>

#include "harness/drive/hunt_report.h"
#include "tests/harness/drive/planted_mutants.h"

namespace attncheck {
namespace {

std::vector<Hunt> hunts_of(const std::vector<Mutant>& mutants,
                           const std::vector<Property>& properties, size_t lane_count = 1) {
  PropertyList list;
  for (const Property& property : properties) list.push_back(&property);
  Lanes lanes(oracle_lanes(lane_count));
  CheckOptions options;
  options.cases = 40;
  options.seed = 3;
  return hunt_all(all_of_mutants(mutants), list, lanes, options);
}

Property fails_on_rings(const char* name) {
  return property_named(name, [](const Case& c) {
    return c.mesh.ring > 1 ? Verdict::fail("a ring") : Verdict::pass();
  });
}

TEST(MutantHunt, ShrinksWhatTheNamedPropertyCaught) {
  const Hunt hunt =
      hunts_of({mutant_named("a", "rings")}, {holding("good"), fails_on_rings("rings")})[0];
  EXPECT_EQ(hunt.state(), HuntState::caught);
  EXPECT_EQ(hunt.property, "rings");
  EXPECT_GE(hunt.cases, 1);
  EXPECT_EQ(hunt.case_->mesh, (Mesh{2, 1}));
  EXPECT_TRUE(hunt.small_enough);
}

TEST(MutantHunt, SurvivesAPropertyThatHolds) {
  const Hunt hunt =
      hunts_of({mutant_named("a", "good")}, {holding("good"), fails_on_rings("x")})[0];
  EXPECT_EQ(hunt.state(), HuntState::survived);
  EXPECT_EQ(hunt.cases, 40);
  EXPECT_NE(hunt.why_not.find("40 drawn cases and is 'pass' on the listed one"), std::string::npos);
  EXPECT_EQ(hunt.others, std::vector<std::string>{"x"});
  const HuntReport report{"v", "l", 3, {hunt}};
  EXPECT_NE(report_text(report).find("on the listed case these fail: x\n"), std::string::npos);
}

TEST(MutantHunt, TriesTheListedCaseLast) {
  const Property listed = property_named("listed", [](const Case& c) {
    return c == mutant_named("a", "listed").smallest ? Verdict::fail("it") : Verdict::pass();
  });
  const Hunt hunt = hunts_of({mutant_named("a", "listed")}, {listed})[0];
  EXPECT_TRUE(hunt.by_smallest_alone);
  EXPECT_EQ(hunt.state(), HuntState::caught);
}

TEST(MutantHunt, IsNotJudgedByAPropertyThatCannotJudgeOrIsNotThere) {
  const Property cannot =
      property_named("cannot", [](const Case&) { return Verdict::not_run("no ranks"); });
  const std::vector<Hunt> hunts =
      hunts_of({mutant_named("a", "cannot"), mutant_named("b", "nobody")}, {cannot});
  for (const Hunt& hunt : hunts) EXPECT_EQ(hunt.state(), HuntState::not_judged);
  EXPECT_NE(hunts[0].why_not.find("no ranks"), std::string::npos);
  EXPECT_NE(hunts[1].why_not.find("no property 'nobody'"), std::string::npos);
}

TEST(MutantHunt, LeavesTheCaseOfASystematicMutantAsItWasDrawn) {
  Mutant mutant = mutant_named("a", "rings");
  mutant.systematic = true;
  const Hunt hunt = hunts_of({mutant}, {fails_on_rings("rings")})[0];
  EXPECT_EQ(hunt.state(), HuntState::caught);
  EXPECT_FALSE(hunt.shrunk);
}

TEST(MutantHunt, HoldsAnEquivalentMutantToEveryProperty) {
  Mutant mutant = mutant_named("a", "good");
  mutant.equivalent = "a sum in another order";
  const Hunt right = hunts_of({mutant}, {holding("good"), holding("too")})[0];
  EXPECT_EQ(right.state(), HuntState::equivalent);
  EXPECT_EQ(right.property, "");
  const Hunt wrong = hunts_of({mutant}, {holding("good"), fails_on_rings("rings")})[0];
  EXPECT_EQ(wrong.state(), HuntState::caught_where_right);
  EXPECT_EQ(wrong.property, "rings");
}

TEST(MutantHunt, GivesTheSameReportForAnyNumberOfLanes) {
  std::vector<Mutant> mutants;
  for (int i = 0; i < 9; ++i) mutants.push_back(mutant_named("m" + std::to_string(i), "batches"));
  const Property batches = property_named("batches", [](const Case& c) {
    return c.problem.batch > 2 ? Verdict::fail("a batch") : Verdict::pass();
  });
  const auto told = [&](size_t lane_count) {
    const HuntReport report{"v", "l", 3, hunts_of(mutants, {batches}, lane_count)};
    return report_text(report) + report_json(report);
  };
  const std::string one = told(1);
  EXPECT_NE(one.find("9 of 9 mutants caught"), std::string::npos) << one;
  EXPECT_EQ(one, told(2));
  EXPECT_EQ(one, told(4));
}

}  // namespace
}  // namespace attncheck
