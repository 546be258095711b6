#include <any>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include <ATen/core/ivalue.h>
#include <c10/util/Exception.h>

#include "plugin/plugin.h"
#include "problem/case_text.h"

// A plug-in whose init does what ATTNCHECK_TEST_INIT says.

int help_of_the_plugin();

namespace {

using namespace attncheck;

struct Kept {
  int number;
};

// Throws what the dtype stands for, so that the program can catch it by its type.
Support throws_by_dtype(const Problem& problem) {
  if (problem.dtype == DType::f64) throw std::out_of_range("from the plug-in");
  if (problem.dtype == DType::f32) throw CaseTextError(7, "from the plug-in");
  if (problem.dtype == DType::bf16) throw std::any(Kept{help_of_the_plugin()});
  TORCH_CHECK(problem.dtype != DType::f16, "from the plug-in");
  return Support::yes();
}

Backend backend_named(const std::string& name) {
  Backend backend;
  backend.name = name;
  backend.supports = throws_by_dtype;
  backend.forward = [](const BackendInputs&) { return BackendForward(); };
  backend.backward = [](const BackendBackward&) { return BackendGrads(); };
  return backend;
}

Property property_named(const std::string& name) {
  Property property;
  property.name = name;
  property.explains = "a sentence of tests";
  property.applies = [](const Case&) { return Support::no("never"); };
  property.check = [](const Case&, Lab&) { return Verdict::not_run("never"); };
  return property;
}

void init(Additions& additions) {
  const char* given = std::getenv("ATTNCHECK_TEST_INIT");
  const std::string what = given == nullptr ? "" : given;
  if (what == "throws") throw std::runtime_error("no licence\nsecond line");
  if (what == "throws_in_ranks" && std::getenv("ATTNCHECK_RANK") != nullptr) {
    throw std::runtime_error("not in a rank");
  }
  if (what == "throws_a_number") throw help_of_the_plugin();
  if (what == "nothing") return;
  additions.backends.push_back(backend_named(what == "taken" ? "math" : "of_tests"));
  additions.properties.push_back(property_named("sentence_of_tests"));
}

}  // namespace

ATTNCHECK_PLUGIN("of tests", init);
