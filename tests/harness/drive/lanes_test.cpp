#include "harness/drive/lanes.h"

#include <atomic>
#include <stdexcept>

#include <gtest/gtest.h>

#include "harness/drive/check_stream.h"
#include "problem/case_text.h"
#include "tests/harness/drive/planted_properties.h"

namespace attncheck {
namespace {

std::vector<LaneLab> labs(size_t count) {
  std::vector<LaneLab> labs;
  for (size_t i = 0; i < count; ++i) labs.push_back({std::make_shared<OracleLab>()});
  return labs;
}

TEST(Lanes, OneLaneIsTheCallingThread) {
  Lanes lanes(labs(1));
  std::thread::id ran;
  lanes.run([&](LaneLab&) { ran = std::this_thread::get_id(); });
  EXPECT_EQ(ran, std::this_thread::get_id());
}

TEST(Lanes, WorkSideBySide) {
  Lanes lanes(labs(2));
  std::promise<void> first, second;
  auto a = lanes.post([&](LaneLab&) { first.set_value(), second.get_future().wait(); });
  auto b = lanes.post([&](LaneLab&) { first.get_future().wait(), second.set_value(); });
  EXPECT_EQ(a.wait_for(std::chrono::seconds(20)), std::future_status::ready);
  EXPECT_EQ(b.wait_for(std::chrono::seconds(20)), std::future_status::ready);
}

TEST(Lanes, NeverShareALab) {
  Lanes lanes(labs(2));
  std::atomic<int> inside[2] = {0, 0};
  std::atomic<bool> shared = false;
  std::vector<std::future<void>> done;
  for (int job = 0; job < 200; ++job) {
    done.push_back(lanes.post([&](LaneLab& lane) {
      std::atomic<int>& here = inside[lane.lab.get() == &lanes.lab() ? 0 : 1];
      if (here++ > 0) shared = true;
      std::this_thread::yield();
      --here;
    }));
  }
  for (std::future<void>& future : done) future.get();
  EXPECT_FALSE(shared);
}

TEST(Lanes, GiveTheExceptionOfAJobToWhoWaits) {
  for (size_t count : {1u, 2u}) {
    Lanes lanes(labs(count));
    EXPECT_THROW(lanes.run([](LaneLab&) { throw std::runtime_error("no"); }), std::runtime_error);
    lanes.run([](LaneLab&) {});
  }
}

TEST(Lanes, FinishWhatWasPosted) {
  std::atomic<int> finished = 0;
  {
    Lanes lanes(labs(2));
    for (int job = 0; job < 50; ++job) lanes.post([&](LaneLab&) { ++finished; });
  }
  EXPECT_EQ(finished, 50);
}

// All that a report says, but for the time.
std::string told(const StreamReport& report) {
  std::string text = std::to_string(report.cases) + " cases, " + std::to_string(report.runs) +
                     " runs, " + std::to_string(report.refused_cases) + " refused, " +
                     std::to_string(report.draws.drawn) + " drawn\n";
  for (const auto& [cell, count] : report.cells) text += cell + " " + std::to_string(count) + "\n";
  for (const PropertyResult& result : report.results) {
    text += result.property + " " + result.word() + " " + std::to_string(result.cases) + " " +
            (result.case_ ? to_text(*result.case_) : "-") + " " +
            (result.drawn ? to_text(*result.drawn) : "-") + " " +
            (result.closest_case ? to_text(*result.closest_case) : "-") + "\n";
  }
  return text;
}

// Fails now and then, so that cases behind a failure are judged anew. What holds steers the
// drawing.
StreamReport check_on(size_t lane_count, bool all_fail) {
  const Property good = property_named("good", [](const Case& c) {
    return near_bound(static_cast<double>(c.seed % 1000 + 1) / 1001);
  });
  const Property bad = property_named("bad", [](const Case& c) {
    return c.seed % 7 == 3 ? Verdict::fail("a seed") : Verdict::pass();
  });
  const Property worse = property_named("worse", [](const Case& c) {
    return c.problem.batch > 1 ? Verdict::fail("a batch") : Verdict::pass();
  });
  Lanes lanes(labs(lane_count));
  CheckOptions options;
  options.cases = 130;
  options.seed = 3;
  const PropertyList list =
      all_fail ? PropertyList{&bad, &worse} : PropertyList{&bad, &good, &worse};
  return check_stream(small_spec(), list, lanes, options);
}

TEST(Lanes, AnyNumberOfThemGivesTheSameReport) {
  for (bool all_fail : {false, true}) {
    const std::string one = told(check_on(1, all_fail));
    EXPECT_EQ(one, told(check_on(2, all_fail)));
    EXPECT_EQ(one, told(check_on(5, all_fail)));
    EXPECT_EQ(one, told(check_on(20, all_fail)));  // more cases ahead than two generations
  }
}

}  // namespace
}  // namespace attncheck
