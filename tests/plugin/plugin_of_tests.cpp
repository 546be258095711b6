#include <any>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>

#include <ATen/core/ivalue.h>
#include <c10/util/Exception.h>
#include <sys/wait.h>
#include <unistd.h>

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

// One that applies, and does `deed` when it shall judge.
Property property_that(const std::function<void()>& deed) {
  Property property = property_named("deed_of_tests");
  property.applies = [](const Case&) { return Support::yes(); };
  property.check = [deed](const Case&, Lab&) {
    deed();
    return Verdict::pass();
  };
  return property;
}

// One that does `when_asked` when it is asked what it supports, and `when_called` as a rank.
Implementation implementation_that(const std::function<void()>& when_asked,
                                   const std::function<void()>& when_called) {
  Implementation implementation;
  implementation.name = "asked_of_tests";
  implementation.supports = [when_asked](const Case&, const Backend&) {
    when_asked();
    return Support::yes();
  };
  implementation.attention = [when_called](at::Tensor, at::Tensor, at::Tensor,
                                           const AttentionOptions&, const MeshGroups&) {
    when_called();
    return Attention();
  };
  return implementation;
}

void be_unwell() {
  throw std::runtime_error("unwell\nsecond line");
}

void write_to_nowhere() {
  volatile int* nowhere = nullptr;
  *nowhere = 1;
}

// In a session of its own, and nobody's child.
void leave_a_process() {
  const pid_t child = ::fork();
  if (child != 0) {
    ::waitpid(child, nullptr, 0);
    return;
  }
  ::setsid();
  if (::fork() != 0) ::_exit(0);
  for (;;) ::pause();
}

std::string wish() {
  const char* given = std::getenv("ATTNCHECK_TEST_INIT");
  return given == nullptr ? "" : given;
}

std::function<void()> deed_named(const std::string& name) {
  if (name == "throws") return be_unwell;
  if (name == "exits") return [] { std::exit(0); };
  if (name == "segfaults") return write_to_nowhere;
  if (name == "leaves_a_process") return leave_a_process;
  return [] {};
}

// It fails but on the smallest cases, so that there is no leap to one, and takes its time.
Verdict fail_slowly(const Case& c, Lab&) {
  std::fputs("slowly\n", stderr);
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  return c.problem.q_len > 2 ? Verdict::fail("slow and wrong") : Verdict::pass();
}

// What a library does while it is opened and while its process ends.
struct Statics {
  Statics() {
    if (wish() == "opening_segfaults") write_to_nowhere();
  }
  ~Statics() {
    if (wish() == "ending_aborts") std::abort();
  }
} statics;

// "property_throws": a property that throws when it is asked, and so on.
void add_what_does(const std::string& what, Additions& additions) {
  const size_t bar = what.find('_');
  if (bar == std::string::npos) return;
  const std::function<void()> deed = deed_named(what.substr(bar + 1));
  const std::string who = what.substr(0, bar);
  if (who == "init") deed();
  const auto nothing = [] {};
  if (who == "supports") additions.implementations.push_back(implementation_that(deed, nothing));
  if (who == "attention") additions.implementations.push_back(implementation_that(nothing, deed));
  if (who != "property") return;
  additions.properties.push_back(property_that(deed));
  if (what == "property_fails") additions.properties.back().check = fail_slowly;
}

void init(Additions& additions) {
  const std::string what = wish();
  if (what == "throws") throw std::runtime_error("no licence\nsecond line");
  if (what == "throws_in_ranks" && std::getenv("ATTNCHECK_RANK") != nullptr) {
    throw std::runtime_error("not in a rank");
  }
  if (what == "throws_a_number") throw help_of_the_plugin();
  if (what == "nothing") return;
  add_what_does(what, additions);
  additions.backends.push_back(backend_named(what == "taken" ? "math" : "of_tests"));
  additions.properties.push_back(property_named("sentence_of_tests"));
}

}  // namespace

ATTNCHECK_PLUGIN("of tests", init);
