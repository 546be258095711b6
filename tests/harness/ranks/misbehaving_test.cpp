#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/gloo_cpu/left_behind.h"
#include "tests/harness/ranks/faulty_subjects.h"
#include "tests/harness/ranks/rank_checks.h"

namespace attncheck {
namespace {

struct Misbehaviour {
  const char* subject;
  const char* property;
  std::vector<const char*> words;  // of the verdict
};

// By name and transport.
void PrintTo(const Misbehaviour& misbehaviour, std::ostream* out) {
  *out << misbehaviour.subject;
}

constexpr const char* kRunsToTheEnd = "supported_case_runs_to_the_end";

const std::vector<Misbehaviour>& all_ten() {
  static const std::vector<Misbehaviour> ten{
      {"ring_that_throws", kRunsToTheEnd, {"rank 1, forward: rank 1 is unhappy"}},
      {"ring_that_segfaults",
       kRunsToTheEnd,
       {"rank 1 was ended by signal 11 (Segmentation fault)"}},
      {"ring_that_aborts", kRunsToTheEnd, {"rank 1 was ended by signal 6 (Aborted)"}},
      {"ring_that_exits", kRunsToTheEnd, {"rank 1 exited with status 0"}},
      {"ring_that_loops", kRunsToTheEnd, {"rank 1 gave no answer", "it has 2000 ms", "running"}},
      {"ring_that_hoards",
       kRunsToTheEnd,
       {"rank 1 was ended here, since it held too much memory", "of 1.00 GiB"}},
      {"ring_of_wrong_shape",
       kRunsToTheEnd,
       {"rank 1, backward: attention returned out of shape [1, 1, 1, 1, 1], expected ",
        "(B, Sq_local, H, Dv) = [1, 1, 1, 1]"}},
      {"ring_of_wrong_dtype",
       "out_and_lse_have_declared_dtype",
       {"out of rank 1 is Float, expected Double"}},
      {"ring_without_out",
       kRunsToTheEnd,
       {"rank 1, backward: attention returned an out that is undefined, expected ",
        "(B, Sq_local, H, Dv) = [1, "}},
      {"ring_that_reduces_once_more",
       kRunsToTheEnd,
       {"a supported case ended in an error at rank"}},
      {"ring_that_leaves_threads", kRunsToTheEnd, {"has more threads after each run"}},
  };
  return ten;
}

class Misbehaving : public testing::TestWithParam<std::tuple<Misbehaviour, const char*>> {};

TEST_P(Misbehaving, IsAShrunkFailureWithTheRightWords) {
  const auto& [misbehaviour, transport] = GetParam();
  const Registry registry = faulty_subjects();
  ProcessOptions options = processes_of_this_program();
  // On a busy machine it takes a while to fill the memory.
  const bool hoards = std::string(misbehaviour.subject) == "ring_that_hoards";
  options.timeout = std::chrono::milliseconds(hoards ? 30'000 : 2'000);
  options.memory = int64_t{1} << 30;
  StreamSpec spec;
  spec.impl = misbehaviour.subject;
  spec.transport = transport;
  spec.meshes = {{2, 1}};
  const CheckReport report =
      check(registry, in_processes(options), spec, 3, {kRunsToTheEnd, misbehaviour.property});
  EXPECT_EQ(report.exit_code(), 1);
  const std::vector<PropertyResult>& results = report.streams.front().results;
  const auto result = std::find_if(results.begin(), results.end(), [&](const PropertyResult& r) {
    return r.property == misbehaviour.property;
  });
  ASSERT_NE(result, results.end());
  ASSERT_EQ(result->verdict, Verdict::Kind::fail) << result->reason << result->why_not_run;
  for (const char* word : misbehaviour.words) {
    EXPECT_NE(result->evidence->message.find(word), std::string::npos)
        << "no '" << word << "' in: " << result->evidence->message;
  }
  EXPECT_EQ(result->case_->problem.kv_len, 2) << result->evidence->message;
  EXPECT_EQ(result->case_->problem.head_dim, 1);
  EXPECT_FALSE(has_children());
}

class LeftBehind : public testing::TestWithParam<const char*> {};

// It computes what it should, and nothing of what it started is there when the check is over.
TEST_P(LeftBehind, EndsWithTheRank) {
  const Registry registry = faulty_subjects();
  StreamSpec spec;
  spec.impl = "ring_that_leaves_processes";
  spec.transport = GetParam();
  spec.meshes = {{2, 1}};
  int most = 0;
  {
    const Transports transports = in_processes(processes_of_this_program());
    const CheckReport report = check(registry, transports, spec, 3, {"output_matches_reference"});
    EXPECT_FALSE(report.streams.front().failed());
    most = processes_left();
  }
  EXPECT_GT(most, 0);
  EXPECT_FALSE(has_children());
  EXPECT_TRUE(nothing_is_left());
}

INSTANTIATE_TEST_SUITE_P(Transports, LeftBehind, testing::Values("sim", "gloo"),
                         [](const auto& info) { return std::string(info.param); });

// On gloo the other rank may be given up before its result is there.
TEST(WrongShape, IsCalledThatOnSim) {
  const Registry registry = faulty_subjects();
  StreamSpec spec;
  spec.impl = "ring_of_wrong_shape";
  spec.meshes = {{2, 1}};
  const CheckReport report = check(registry, in_processes(processes_of_this_program()), spec, 3,
                                   {"output_matches_reference"});
  const PropertyResult& result = report.streams.front().results.front();
  ASSERT_EQ(result.verdict, Verdict::Kind::fail);
  EXPECT_EQ(result.evidence->message, "out of rank 1 is (1, 1, 1, 1, 1), expected (1, 1, 1, 1)");
}

INSTANTIATE_TEST_SUITE_P(Subjects, Misbehaving,
                         testing::Combine(testing::ValuesIn(all_ten()),
                                          testing::Values("sim", "gloo")),
                         [](const auto& info) {
                           return std::string(std::get<0>(info.param).subject) + "_on_" +
                                  std::get<1>(info.param);
                         });

}  // namespace
}  // namespace attncheck
