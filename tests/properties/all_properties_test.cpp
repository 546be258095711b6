#include <set>

#include <gtest/gtest.h>

#include "problem/case_text.h"
#include "properties/property.h"
#include "tests/properties/oracle_lab.h"

namespace attncheck {
namespace {

TEST(AllProperties, HaveDistinctNamesAndSayWhatTheyMean) {
  std::set<std::string> names;
  for (const Property& property : all_properties()) {
    EXPECT_TRUE(names.insert(property.name).second) << property.name;
    EXPECT_FALSE(property.explains.empty()) << property.name;
    EXPECT_FALSE(property.subjects.empty()) << property.name;
    EXPECT_TRUE(property.applies && property.check) << property.name;
  }
  EXPECT_EQ(names.size(), 45u);
}

class Truth : public testing::TestWithParam<const char*> {};

// A right subject passes every property that applies, and most apply.
TEST_P(Truth, PassesEveryPropertyThatApplies) {
  const Case c = parse_case(GetParam());
  OracleLab lab;
  int passed = 0;
  for (const Property& property : all_properties()) {
    if (property.about_refusals || property.subjects.count(SubjectKind::implementation) == 0)
      continue;
    if (!property.applies(c)) continue;
    const Verdict verdict = property.check(c, lab);
    passed += verdict.kind == Verdict::Kind::pass;
    EXPECT_NE(verdict.kind, Verdict::Kind::not_run) << property.name << ": " << verdict.reason;
    EXPECT_FALSE(verdict.failed()) << property.name << ": " << verdict.evidence->message;
  }
  EXPECT_GE(passed, 14);
  EXPECT_LE(lab.runs(), 42u);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, Truth,
    testing::Values("impl=ring mesh=3x1 q=6 h=2 d=3 seed=1",
                    "impl=unified mesh=2x2 b=2 q=4 kv=8 h=4 hkv=2 d=3 dv=5 seed=2",
                    "impl=unified mesh=2x2 q=8 h=4 d=8 dtype=f32 seed=3",
                    "impl=ring mesh=2x1 q=6 kv=4 h=2 d=3 causal=1 align=br seed=4",
                    "impl=ring mesh=2x1 q=6 h=2 d=3 causal=1 data=large seed=5",
                    "impl=unified mesh=2x2 q=4 kv=8 h=2 d=2 data=selector causal=1 seed=6",
                    "impl=ring mesh=2x1 q=6 h=2 d=3 data=offset dlse=1 view=permuted seed=7",
                    "impl=ring mesh=3x1 q=3 d=1 seed=8"),
    [](const auto& info) { return "Case" + std::to_string(info.index); });

}  // namespace
}  // namespace attncheck
