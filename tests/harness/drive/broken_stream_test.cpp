#include <functional>
#include <optional>
#include <stdexcept>

#include <gtest/gtest.h>

#include "harness/drive/check_stream.h"
#include "harness/registry.h"
#include "harness/run_lab.h"
#include "tests/harness/drive/planted_properties.h"

namespace attncheck {
namespace {

StreamReport stream_of(const std::vector<Property>& properties, OracleLab& lab,
                       int64_t cases = 20) {
  PropertyList list;
  for (const Property& property : properties) list.push_back(&property);
  CheckOptions options;
  options.cases = cases;
  options.seed = 1;
  Lanes lanes({lane_on(lab)});
  return check_stream(small_spec(), list, lanes, options);
}

Property throwing(const char* name, const std::function<void(const Case&)>& deed) {
  return property_named(name, [deed](const Case& c) {
    deed(c);
    return Verdict::pass();
  });
}

TEST(BrokenStream, NamesAPropertyThatThrowsAndAsksTheOthersAllTheSame) {
  OracleLab lab;
  Property broken = throwing("broken", [](const Case& c) {
    if (c.mesh.ring == 2) throw std::runtime_error("no\nidea");
  });
  broken.origin = "/a/b.so";
  CheckReport report;
  report.streams.push_back(stream_of({broken, holding("good")}, lab));
  const PropertyResult& result = report.streams[0].results[0];
  EXPECT_EQ(result.verdict, Verdict::Kind::not_run);
  EXPECT_EQ(
      result.reason.find("the property 'broken' (plug-in '/a/b.so') threw: no | idea, case: impl="),
      0u)
      << result.reason;
  EXPECT_EQ(report.streams[0].results[1].cases, 20);
  EXPECT_EQ(report.exit_code(), 3);
}

TEST(BrokenStream, AThrowOnASmallerCaseIsNotTheFailure) {
  OracleLab lab;
  std::optional<Case> first;
  const StreamReport report = stream_of({property_named("bad",
                                                        [&first](const Case& c) {
                                                          first = first.value_or(c);
                                                          if (c == *first)
                                                            return Verdict::fail("no");
                                                          throw std::runtime_error("smaller");
                                                        })},
                                        lab);
  EXPECT_EQ(report.results[0].verdict, Verdict::Kind::fail);
  EXPECT_EQ(report.results[0].case_, first);
}

TEST(BrokenStream, KeepsWhatWasFoundWhenSupportsThrows) {
  OracleLab lab;
  bool found = false;
  lab.supports_case = [&found](const Case& c) {
    if (found) throw SupportsFailed("supports() of 'subject' threw: no licence", c);
    return Support::yes();
  };
  CheckReport report;
  report.streams.push_back(stream_of({property_named("bad",
                                                     [&found](const Case&) {
                                                       found = true;
                                                       return Verdict::fail("no");
                                                     }),
                                      holding("good")},
                                     lab));
  EXPECT_EQ(report.exit_code(), 1);
  EXPECT_EQ(report.streams[0].results[0].verdict, Verdict::Kind::fail);
  EXPECT_EQ(report.streams[0].results[1].verdict, Verdict::Kind::not_run);
  EXPECT_EQ(report.streams[0].broken.find("supports() of 'subject' threw: no licence, case: "), 0u)
      << report.streams[0].broken;
  report.streams.push_back(stream_of({holding("good")}, lab));
  report.streams.erase(report.streams.begin());
  EXPECT_EQ(report.exit_code(), 3);
}

// It says yes until the first case is judged.
TEST(BrokenStream, NamesASupportsThatChangesItsAnswer) {
  OracleLab lab;
  bool judged = false;
  lab.supports_case = [&judged](const Case&) {
    return judged ? Support::no("no licence") : Support::yes();
  };
  CheckReport report;
  report.streams.push_back(stream_of({property_named("first",
                                                     [&judged](const Case&) {
                                                       judged = true;
                                                       return Verdict::pass();
                                                     }),
                                      holding("second")},
                                     lab));
  const PropertyResult& second = report.streams[0].results[1];
  EXPECT_EQ(second.verdict, Verdict::Kind::not_run);
  EXPECT_EQ(
      second.reason.find("supports() of 'subject' on 'math' answers one case with yes and then "
                         "no (no licence): "),
      0u)
      << second.reason;
  EXPECT_EQ(report.exit_code(), 3);
}

TEST(BrokenStream, NamesARankWhoseSupportsSaysNo) {
  OracleLab lab;
  lab.plant([](const Request& request, Observation& observation) {
    if (request.case_.mesh.ring == 2) observation.ranks[1].facts["supports"] = "no licence";
  });
  Property property = holding("p");
  property.check = [](const Case& c, Lab& l) {
    return l.observe(base_request(c)).ranks.size() == 2 ? Verdict::fail("an exchange that hangs")
                                                        : Verdict::pass();
  };
  CheckReport report;
  report.streams.push_back(stream_of({property}, lab));
  EXPECT_NE(report.streams[0].results[0].reason.find("yes and then no (no licence) on rank 1"),
            std::string::npos)
      << report.streams[0].results[0].reason;
  EXPECT_EQ(report.exit_code(), 3);
}

TEST(BrokenStream, SaysThatThereWereNoRanks) {
  OracleLab lab;
  const StreamReport report =
      stream_of({throwing("a", [](const Case&) { throw NoRanks("that was start 4"); })}, lab);
  EXPECT_TRUE(report.no_ranks);
  EXPECT_EQ(report.unchecked().front(),
            "subject on math, sim, f64: ended after 0 cases: that was start 4");
}

TEST(BrokenStream, KeepsAFailureThatCannotBeShrunkToTheEnd) {
  OracleLab lab;
  int judged = 0;
  const StreamReport report = stream_of({property_named("bad",
                                                        [&judged](const Case&) {
                                                          if (++judged == 3) throw NoRanks("gone");
                                                          Evidence wrong;
                                                          wrong.error = 1e9;
                                                          return Verdict::fail(wrong);
                                                        })},
                                        lab);
  EXPECT_TRUE(report.no_ranks);
  EXPECT_TRUE(report.failed());
  EXPECT_FALSE(report.results[0].shrunk_to_end);
  EXPECT_FALSE(*report.results[0].case_ == *report.results[0].drawn);
}

}  // namespace
}  // namespace attncheck
