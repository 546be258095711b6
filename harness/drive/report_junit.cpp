#include "harness/drive/report_junit.h"

#include <algorithm>
#include <sstream>

#include <fmt/format.h>
#include <pugixml.hpp>

#include "harness/drive/report_text.h"
#include "problem/case_text.h"

namespace attncheck {
namespace {

// XML knows no control characters, not even as entities; a rank's own words may hold any.
std::string printable(std::string text) {
  const auto refused = [](unsigned char letter) {
    return letter < 0x20 && letter != '\n' && letter != '\t';
  };
  std::replace_if(text.begin(), text.end(), refused, '?');
  return text;
}

void set(pugi::xml_node node, const char* name, const std::string& value) {
  node.append_attribute(name) = printable(value).c_str();
}

void set_count(pugi::xml_node node, const char* name, int64_t value) {
  node.append_attribute(name) = static_cast<long long>(value);
}

void add_failure(pugi::xml_node test, const std::string& stream, const PropertyResult& result) {
  pugi::xml_node failure = test.append_child("failure");
  set(failure, "type", result.property);
  set(failure, "message", result.evidence ? result.evidence->message : result.explains);
  failure.text() = printable(failure_text(stream, result)).c_str();
}

std::string skip_reason(const CheckReport& report, const PropertyResult& result) {
  const std::string word = result.word();
  if (word != "known") return word + ": " + result.reason;
  const KnownFailure& known = result.known.front();
  return "known: " + report.expectations[known.expectation].reason + ": " + to_text(known.case_);
}

void add_test(pugi::xml_node suite, const CheckReport& report, const std::string& stream,
              const PropertyResult& result) {
  pugi::xml_node test = suite.append_child("testcase");
  set(test, "classname", stream);
  set(test, "name", result.property);
  const std::string word = result.word();
  if (word == "fail") {
    add_failure(test, stream, result);
  } else if (word != "pass") {
    set(test.append_child("skipped"), "message", skip_reason(report, result));
  }
}

void add_unchecked(pugi::xml_node suite, const std::string& stream, const std::string& why) {
  pugi::xml_node test = suite.append_child("testcase");
  set(test, "classname", stream);
  set(test, "name", "everything that was asked for was checked");
  set(test.append_child("error"), "message", why);
}

void add_facts(pugi::xml_node suite, const CheckReport& report, const StreamReport& stream) {
  pugi::xml_node facts = suite.append_child("properties");
  const auto add = [&](const char* name, const std::string& value) {
    pugi::xml_node fact = facts.append_child("property");
    set(fact, "name", name);
    set(fact, "value", value);
  };
  add("seed", std::to_string(report.seed));
  add("cases", std::to_string(stream.cases));
  if (stream.out_of_time) add("out of time", fmt::format("{} cases were asked for", stream.asked));
}

int64_t count_words(const StreamReport& stream, bool (*counts)(const std::string&)) {
  return std::count_if(stream.results.begin(), stream.results.end(),
                       [counts](const PropertyResult& r) { return counts(r.word()); });
}

void add_suite(pugi::xml_node suites, const CheckReport& report, const StreamReport& stream) {
  const std::vector<std::string> unchecked = stream.unchecked();
  pugi::xml_node suite = suites.append_child("testsuite");
  const std::string name = stream_name(stream.spec);
  set(suite, "name", name);
  set_count(suite, "tests", static_cast<int64_t>(stream.results.size() + unchecked.size()));
  set_count(suite, "failures", count_words(stream, [](const auto& w) { return w == "fail"; }));
  set_count(suite, "errors", static_cast<int64_t>(unchecked.size()));
  set_count(suite, "skipped",
            count_words(stream, [](const auto& w) { return w != "fail" && w != "pass"; }));
  set(suite, "time", fmt::format("{:.3f}", stream.seconds));
  add_facts(suite, report, stream);
  for (const PropertyResult& result : stream.results) add_test(suite, report, name, result);
  for (const std::string& why : unchecked) add_unchecked(suite, name, why);
}

}  // namespace

std::string report_junit(const CheckReport& report) {
  pugi::xml_document document;
  pugi::xml_node suites = document.append_child("testsuites");
  set(suites, "name", "attncheck " + report.version);
  for (const StreamReport& stream : report.streams) add_suite(suites, report, stream);
  std::ostringstream text;
  document.save(text, "  ");
  return text.str();
}

}  // namespace attncheck
