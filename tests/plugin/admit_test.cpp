#include "harness/plugins/admit.h"

#include <gtest/gtest.h>

#include "impl/backends/math.h"
#include "impl/ring/ring_attention.h"
#include "problem/case_text.h"

namespace attncheck {
namespace {

Implementation implementation_named(const std::string& name) {
  Implementation implementation = ring_implementation();
  implementation.name = name;
  return implementation;
}

Mutant mutant_of(const std::string& property, const std::string& smallest) {
  Mutant mutant;
  mutant.name = "wrong";
  mutant.property = property;
  mutant.smallest = parse_case(smallest);
  mutant.subject = ring_implementation();
  return mutant;
}

Registry admitted(Additions additions) {
  Registry registry;
  registry.properties = all_properties();
  admit(registry, std::move(additions), "/a/plugin.so");
  return registry;
}

// What the refusal says.
std::string fault_of(Additions additions) {
  try {
    admitted(std::move(additions));
  } catch (const NotAdmitted& error) {
    return error.what();
  }
  return "admitted";
}

TEST(Admit, NamesEveryOriginAsACaseWould) {
  Additions additions;
  additions.implementations = {implementation_named("mine")};
  additions.backends = {math_backend()};
  additions.mutants = {mutant_of("output_matches_reference", "impl=mutant:wrong mesh=1x1 q=1 d=1")};
  const Registry registry = admitted(additions);
  ASSERT_EQ(registry.origins.size(), 3u);
  for (const char* key : {"mine", "backend:math", "mutant:wrong"}) {
    EXPECT_EQ(registry.origins.at(key), "/a/plugin.so") << key;
  }
}

TEST(Admit, TakesNoNameThatACaseOrAFlagCouldNotSay) {
  for (const char* name : {"", "two words", "a=b", "a,b", "kind:name", "all", "none", "local"}) {
    Additions additions;
    additions.implementations = {implementation_named(name)};
    EXPECT_NE(fault_of(additions).find("has no name that can be used"), std::string::npos) << name;
  }
}

TEST(Admit, TakesNoNameTwice) {
  Additions additions;
  additions.implementations = {implementation_named("mine"), implementation_named("mine")};
  EXPECT_EQ(fault_of(additions),
            "the implementation 'mine' is brought twice: give it another name");
  additions = {};
  additions.backends = {math_backend()};
  additions.families = {{"math", "a number", {}, {}}};
  EXPECT_NE(fault_of(additions).find("'math' is brought twice"), std::string::npos);
}

TEST(Admit, AsksForEveryFunction) {
  Additions additions;
  additions.implementations = {implementation_named("mine")};
  additions.implementations[0].attention = nullptr;
  EXPECT_EQ(fault_of(additions), "the implementation 'mine' has no `attention`: give it one");
  additions = {};
  additions.backends = {math_backend()};
  additions.backends[0].backward = nullptr;
  EXPECT_EQ(fault_of(additions), "the backend 'math' has no `backward`: give it one");
  additions = {};
  additions.properties = {all_properties().front()};
  additions.properties[0].name = "mine";
  additions.properties[0].check = nullptr;
  EXPECT_EQ(fault_of(additions), "the property 'mine' has no `check`: give it one");
}

TEST(Admit, WantsFullNamesInAFamily) {
  Additions additions;
  additions.families = {{"mine", "a number", {math_backend()}, {}}};
  EXPECT_NE(fault_of(additions).find("must be named 'mine:'"), std::string::npos);
  additions.families[0].all[0].name = "mine:1";
  additions.families[0].listed = {"mine:2"};
  EXPECT_NE(fault_of(additions).find("lists 'mine:2'"), std::string::npos);
  additions.families[0].listed = {"mine:1"};
  EXPECT_NE(admitted(additions).backend("mine:1"), nullptr);
}

TEST(Admit, HoldsAMutantToItsPropertyAndItsCase) {
  Additions additions;
  additions.mutants = {mutant_of("nonsense", "impl=mutant:wrong mesh=1x1 q=1 d=1")};
  EXPECT_NE(fault_of(additions).find("no property that the program knows"), std::string::npos);
  additions.mutants = {mutant_of("output_matches_reference", "impl=ring mesh=1x1 q=1 d=1")};
  EXPECT_NE(fault_of(additions).find("must be of impl=mutant:wrong"), std::string::npos);
}

TEST(Admit, LetsAPropertyOfThePluginItselfCatchItsMutant) {
  Additions additions;
  additions.mutants = {mutant_of("mine", "impl=mutant:wrong mesh=1x1 q=1 d=1")};
  additions.properties = {all_properties().front()};
  additions.properties[0].name = "mine";
  EXPECT_EQ(admitted(additions).mutants.size(), 1u);
}

}  // namespace
}  // namespace attncheck
