#include "harness/plugins/open_plugin.h"

#include <any>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <c10/util/Exception.h>
#include <gtest/gtest.h>

#include "impl/backends/math.h"
#include "problem/case_text.h"

namespace attncheck {
namespace {

const std::string kFolder = PLUGIN_FOLDER;

Registry small_registry() {
  Registry registry;
  registry.backends = {math_backend()};
  registry.properties = all_properties();
  return registry;
}

// What init of plugin_of_tests.cpp does while this lives.
class Told {
 public:
  explicit Told(const char* what) { ::setenv("ATTNCHECK_TEST_INIT", what, 1); }
  ~Told() { ::unsetenv("ATTNCHECK_TEST_INIT"); }
};

std::string refusal_of(const std::string& path, Registry registry = small_registry()) {
  const size_t backends = registry.backends.size(), properties = registry.properties.size();
  std::string text = "not refused";
  try {
    add_plugin(registry, path);
  } catch (const PluginRefused& error) {
    text = error.what();
  }
  EXPECT_EQ(registry.backends.size(), backends);
  EXPECT_EQ(registry.properties.size(), properties);
  EXPECT_TRUE(registry.plugins.empty());
  EXPECT_EQ(text.find('\n'), std::string::npos) << text;
  return text;
}

void expect_refused(const std::string& path, const std::vector<std::string>& says) {
  const std::string text = refusal_of(path);
  EXPECT_NE(text.find("'" + path + "'"), std::string::npos) << text;
  for (const std::string& part : says) EXPECT_NE(text.find(part), std::string::npos) << text;
}

TEST(OpenPlugin, AddsWhatInitBringsAndRemembersWhereItCameFrom) {
  Registry registry = small_registry();
  add_plugin(registry, kFolder + "/../plugins/whole_plugin.so");
  const std::string path = kFolder + "/whole_plugin.so";
  EXPECT_EQ(registry.plugins, std::vector<std::string>{path});
  ASSERT_NE(registry.backend("of_tests"), nullptr);
  EXPECT_EQ(registry.properties.back().name, "sentence_of_tests");
  EXPECT_EQ(registry.plugin_of(parse_case("impl=local backend=of_tests mesh=1x1 q=1 d=1")), path);
  EXPECT_EQ(registry.plugin_of(parse_case("impl=local backend=math mesh=1x1 q=1 d=1")), "");
  EXPECT_EQ(registry.origins.at("property:sentence_of_tests"), path);
}

TEST(OpenPlugin, SharesTypesWithTheProgram) {
  Registry registry = small_registry();
  add_plugin(registry, kFolder + "/whole_plugin.so");
  const Backend& backend = *registry.backend("of_tests");
  Problem problem;
  EXPECT_THROW(backend.supports(problem), std::out_of_range);
  problem.dtype = DType::f32;
  EXPECT_THROW(backend.supports(problem), CaseTextError);
  problem.dtype = DType::bf16;
  EXPECT_THROW(backend.supports(problem), std::any);
  problem.dtype = DType::f16;
  EXPECT_THROW(backend.supports(problem), c10::Error);
}

TEST(OpenPlugin, TakesTheCatalogueOfMutantsByItsSymbol) {
  Registry registry = small_registry();
  add_plugin(registry, MUTANTS_LIBRARY);
  EXPECT_NE(registry.mutant("A10"), nullptr);
  EXPECT_GT(registry.mutants.size(), 100u);
  EXPECT_EQ(registry.origins.size(), registry.mutants.size());
}

TEST(OpenPlugin, RefusesWhatIsNoSharedLibrary) {
  expect_refused(kFolder + "/none.so", {"no such file", "shared library"});
  expect_refused(kFolder, {"it is no file"});
  const std::string text = ::testing::TempDir() + "text.so";
  std::ofstream(text) << "not a library\n";
  expect_refused(text, {"no shared library that can be loaded here", "attncheck_add_plugin"});
}

TEST(OpenPlugin, RefusesALibraryWithoutTheSymbol) {
  expect_refused(kFolder + "/no_symbol_plugin.so", {"`attncheck_plugin`", "ATTNCHECK_PLUGIN"});
}

TEST(OpenPlugin, ComparesDataBeforeInitIsCalled) {
  expect_refused(kFolder + "/other_abi_plugin.so", {"ABI 999", "has 1"});
  expect_refused(kFolder + "/other_libtorch_plugin.so", {"LibTorch 1.13.1", TORCH_VERSION});
  expect_refused(kFolder + "/other_layout_plugin.so", {"other sizes", "headers"});
}

TEST(OpenPlugin, RefusesAFunctionThatNobodyHas) {
  expect_refused(kFolder + "/undefined_plugin.so", {"'help_of_the_plugin()'", "link what"});
}

TEST(OpenPlugin, RefusesAnInitThatThrows) {
  {
    const Told told("throws");
    expect_refused(kFolder + "/whole_plugin.so", {"its init threw: no licence"});
  }
  const Told told("throws_a_number");
  expect_refused(kFolder + "/whole_plugin.so", {"its init threw", "no std::exception"});
}

TEST(OpenPlugin, RefusesWhatBringsNothing) {
  const Told told("nothing");
  expect_refused(kFolder + "/whole_plugin.so", {"added nothing"});
}

TEST(OpenPlugin, RefusesATakenNameAndSaysWhoHasIt) {
  const Told told("taken");
  expect_refused(kFolder + "/whole_plugin.so", {"the backend 'math' is built in"});
  Registry registry = small_registry();
  registry.backends[0].name = "other";
  add_plugin(registry, kFolder + "/whole_plugin.so");
  const std::string copy = ::testing::TempDir() + "attncheck_copy.so";
  std::filesystem::copy_file(kFolder + "/whole_plugin.so", copy,
                             std::filesystem::copy_options::overwrite_existing);
  const auto said = [&](const std::string& path) -> std::string {
    try {
      add_plugin(registry, path);
    } catch (const PluginRefused& error) {
      return error.what();
    }
    return "not refused";
  };
  EXPECT_NE(said(copy).find("came with plug-in '" + kFolder), std::string::npos) << said(copy);
  EXPECT_NE(said(kFolder + "/whole_plugin.so").find("loaded already"), std::string::npos);
  EXPECT_EQ(registry.plugins.size(), 1u);
}

}  // namespace
}  // namespace attncheck
