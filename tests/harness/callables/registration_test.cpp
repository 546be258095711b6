#include "harness/callables/registration.h"

#include <gtest/gtest.h>

#include "problem/case_text.h"

namespace attncheck {
namespace {

std::string fault_of(const std::string& text) {
  try {
    Registry registry;
    add_callables(registry, parse_descriptions(text));
  } catch (const BadDescriptions& error) {
    return error.what();
  }
  return "";
}

std::string one(const std::string& name) {
  return R"({"rank_command": ["rank"], "program": "p", "backends": [],
             "implementations": [{"name": ")" +
         name + R"(", "takes": ["return_lse"]}]})";
}

TEST(CallableRegistration, KnowsWhatIsDescribedByItsWholeName) {
  Registry registry;
  add_callables(registry, parse_descriptions(one("package.module:attention")));
  EXPECT_NE(registry.implementation("package.module:attention"), nullptr);
  EXPECT_EQ(registry.kind("package.module:attention"), SubjectKind::implementation);
  EXPECT_EQ(registry.callables.rank_command, std::vector<std::string>{"rank"});
  EXPECT_EQ(registry.callables.program, "p");
  EXPECT_TRUE(registry.callables.with_lse.contains("package.module:attention"));
  EXPECT_TRUE(registry.may_refuse_calls(
      parse_case("impl=package.module:attention transport=gloo mesh=1x1 q=1 d=1")));
  EXPECT_FALSE(registry.may_refuse_calls(parse_case("impl=ring mesh=1x1 q=1 d=1")));
}

TEST(CallableRegistration, RefusesNamesThatAreSomethingElse) {
  EXPECT_EQ(fault_of(one("module:attention")), "");
  EXPECT_NE(fault_of(one("mutant:A10")).find("kind of subject"), std::string::npos);
  EXPECT_NE(fault_of(one("attention")).find("MODULE:NAME"), std::string::npos);
  EXPECT_NE(fault_of(one("a b:c")).find("MODULE:NAME"), std::string::npos);
}

TEST(CallableRegistration, RefusesAFileThatDescribesNothing) {
  EXPECT_NE(fault_of("{"), "");
  EXPECT_NE(fault_of("{}").find("rank_command"), std::string::npos);
  EXPECT_NE(
      fault_of(R"({"rank_command": [], "program": "p", "backends": [], "implementations": []})"),
      "");
}

}  // namespace
}  // namespace attncheck
