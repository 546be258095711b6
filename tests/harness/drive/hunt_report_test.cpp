#include "harness/drive/hunt_report.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "problem/case_text.h"

namespace attncheck {
namespace {

const char* const kListedCase = "impl=mutant:A10 mesh=3x1 q=3 d=1 seed=17";

Hunt hunt_named(const std::string& name, bool caught, int64_t cases = 4) {
  Hunt hunt;
  hunt.name = name;
  hunt.source = "diffusers 0.42.1";
  hunt.property = "gradients_match_reference";
  hunt.caught = hunt.small_enough = caught;
  hunt.cases = cases;
  hunt.smallest = parse_case(kListedCase);
  if (caught) hunt.case_ = parse_case(kListedCase);
  return hunt;
}

HuntReport report_of_hunts(std::vector<Hunt> hunts) {
  return {"0.1.0", "2.11.0", 1, std::move(hunts)};
}

HuntReport hunt_report(bool caught) {
  return report_of_hunts({hunt_named("A10", caught)});
}

nlohmann::json first_hunt_json(const HuntReport& report) {
  return nlohmann::json::parse(report_json(report))["mutants"][0];
}

TEST(HuntReport, ASurvivorIsAFailure) {
  EXPECT_EQ(hunt_report(true).exit_code(), 0);
  EXPECT_EQ(hunt_report(false).exit_code(), 1);
  EXPECT_NE(report_text(hunt_report(false)).find("SURVIVED: A10"), std::string::npos);
}

TEST(HuntReport, AMutantThatNothingJudgedIsNotChecked) {
  HuntReport report = hunt_report(false);
  report.hunts.front().judged = false;
  EXPECT_EQ(report.exit_code(), 3);
  EXPECT_EQ(first_hunt_json(report)["state"], "not_judged");
  EXPECT_NE(report_text(report).find("NOT JUDGED: A10"), std::string::npos);
  report.hunts.push_back(hunt_named("A11", false));
  EXPECT_EQ(report.exit_code(), 1);
}

TEST(HuntReport, AnEquivalentMutantIsToBeCaughtByNothing) {
  for (const bool caught : {false, true}) {
    HuntReport report = hunt_report(caught);
    report.hunts.front().equivalent = "a sum in another order";
    EXPECT_EQ(report.exit_code(), caught ? 1 : 0);
    EXPECT_EQ(first_hunt_json(report)["state"], caught ? "caught_where_right" : "equivalent");
    EXPECT_EQ(first_hunt_json(report)["equivalent"], "a sum in another order");
    EXPECT_NE(report_text(report).find("0 of 0 mutants caught"), std::string::npos);
  }
}

HuntReport report_with_form(bool wrong_here, bool caught) {
  HuntReport report = hunt_report(true);
  FormHunt form;
  form.backend = "cudnn_emulated:2.8";
  form.wrong_here = wrong_here;
  form.caught = caught;
  if (caught) form.case_ = parse_case(kListedCase);
  report.hunts.front().forms.push_back(form);
  return report;
}

TEST(HuntReport, AMutantHasToBeCaughtWhereItIsWrongAndNowhereElse) {
  for (const bool wrong_here : {false, true}) {
    for (const bool caught : {false, true}) {
      const HuntReport report = report_with_form(wrong_here, caught);
      EXPECT_EQ(report.exit_code(), wrong_here == caught ? 0 : 1);
      const auto json = first_hunt_json(report)["forms"][0];
      EXPECT_EQ(json["backend"], "cudnn_emulated:2.8");
      EXPECT_EQ(json["wrong_here"], wrong_here);
      EXPECT_EQ(json["caught"], caught);
    }
  }
  EXPECT_EQ(report_with_form(false, true).hunts.front().state(), HuntState::caught_where_right);
  EXPECT_EQ(report_with_form(true, false).hunts.front().state(), HuntState::survived);
  EXPECT_NE(report_text(report_with_form(false, true)).find("where it is right"),
            std::string::npos);
}

TEST(HuntReport, HasTheKeysOfTheDesign) {
  const auto mutant = first_hunt_json(hunt_report(true));
  EXPECT_EQ(mutant["name"], "A10");
  EXPECT_EQ(mutant["source"], "diffusers 0.42.1");
  EXPECT_EQ(mutant["caught"], true);
  EXPECT_EQ(mutant["state"], "caught");
  EXPECT_EQ(mutant["property"], "gradients_match_reference");
  EXPECT_EQ(mutant["cases"], 4);
  EXPECT_EQ(mutant["case"], kListedCase);
}

TEST(HuntReport, SaysHowSoonTheMedianMutantWasCaughtAndWhichTookLongest) {
  HuntReport report = report_of_hunts({hunt_named("a", true, 9), hunt_named("b", true, 2),
                                       hunt_named("c", true, 40), hunt_named("d", true, 3)});
  EXPECT_EQ(pace_of(report).median, 3);
  EXPECT_EQ(pace_of(report).slowest.at(0)->name, "c");
  EXPECT_EQ(pace_of(report).slowest.size(), 3u);
  EXPECT_NE(report_text(report).find("median 3; slowest c after 40, a after 9, d after 3"),
            std::string::npos);
}

TEST(HuntReport, AMutantOnItsListedCaseAloneIsSlowerThanAny) {
  Hunt listed = hunt_named("listed", true, 300);
  listed.by_smallest_alone = true;
  const HuntReport report = report_of_hunts({listed, listed, hunt_named("a", true, 2)});
  EXPECT_EQ(pace_of(report).median, std::nullopt);
  EXPECT_EQ(pace_of(report).slowest.size(), 1u);
  EXPECT_NE(report_text(report).find("on the listed case alone: listed"), std::string::npos);
  EXPECT_NE(report_text(report).find("median more than were drawn"), std::string::npos);
}

}  // namespace
}  // namespace attncheck
