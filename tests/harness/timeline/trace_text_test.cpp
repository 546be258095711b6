#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "harness/timeline/predicted.h"
#include "problem/case_text.h"

namespace attncheck::timeline {
namespace {

using scale::Axis;

scale::Machine unit_machine() {
  const scale::Link link{"unit", 1, 1};  // a second, and a byte a second
  return {link, link, 8, 1};
}

bool has_row(const std::string& text, const std::vector<std::string>& words) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream parts(line);
    if (std::vector<std::string>(std::istream_iterator<std::string>(parts), {}) == words) {
      return true;
    }
  }
  return false;
}

// 5 s on the link, of which the receiver computed 3; the sender's own link carries nothing.
Trace of_a_message() {
  scale::Script receiver, sender;
  const size_t received =
      receiver.post({scale::Exchange::Kind::receive, Axis::ring, 1, 0, 4, "recv"});
  receiver.compute(3, "forward");
  receiver.wait(received);
  sender.wait(sender.post({scale::Exchange::Kind::send, Axis::ring, 0, 0, 4, "send"}));
  return predicted(parse_case("impl=ring mesh=2x1 q=2 d=1"), {receiver, sender}, unit_machine());
}

TEST(TraceText, SaysWhatNothingHid) {
  const std::string text = trace_text(of_a_message());
  EXPECT_TRUE(
      has_row(text, {"0", "5000000.0", "us", "60", "%", "0", "%", "40", "%", "0", "kB", "40", "%"}))
      << text;
  EXPECT_TRUE(
      has_row(text, {"1", "5000000.0", "us", "0", "%", "0", "%", "100", "%", "0", "kB", "-"}))
      << text;
}

TEST(TraceText, SaysWhatTheCriticalPathIsMadeOf) {
  const std::string text = trace_text(of_a_message());
  EXPECT_NE(text.find("critical path: 5000000.0 us: compute 0 %, posts 0 %, exchanges 100 %"),
            std::string::npos)
      << text;
}

TEST(TraceText, HasOneLineForPredictedRanksThatAreAlike) {
  scale::Script script;
  script.wait(script.post({scale::Exchange::Kind::collective, Axis::ulysses, 0, 0, 4, "alltoall"}));
  const Trace trace =
      predicted(parse_case("impl=ulysses mesh=1x3 q=3 h=3 d=1"), {script}, unit_machine());
  EXPECT_EQ(trace.meetings.size(), 6u);  // every pair of ranks, both ways
  const std::string text = trace_text(trace);
  EXPECT_TRUE(has_row(
      text, {"0", "5000000.0", "us", "0", "%", "0", "%", "100", "%", "0", "kB", "100", "%"}))
      << text;
  EXPECT_EQ(text.find("\n   1 "), std::string::npos) << text;
}

}  // namespace
}  // namespace attncheck::timeline
