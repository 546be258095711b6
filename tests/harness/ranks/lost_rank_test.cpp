#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/drive/check_stream.h"
#include "harness/process_transport.h"
#include "harness/run_lab.h"
#include "tests/harness/ranks/faulty_subjects.h"

namespace attncheck {
namespace {

// To the end: under a sanitizer each try takes much longer.
#if defined(__SANITIZE_ADDRESS__)
constexpr std::chrono::seconds kShrinkTime{240};
#else
constexpr std::chrono::seconds kShrinkTime{20};
#endif

using std::chrono::milliseconds;
namespace fs = std::filesystem;

constexpr milliseconds kTimeout{3'000};
constexpr const char* kCompletion = "supported_case_runs_to_the_end";

std::string self() {
  return fs::read_symlink("/proc/self/exe").string();
}

fs::path mark_of_once() {
  return fs::temp_directory_path() / ("attncheck-once-" + std::to_string(::getpid()));
}

PropertyList properties_named(const std::vector<std::string>& names) {
  PropertyList list;
  for (const Property& property : all_properties()) {
    if (std::find(names.begin(), names.end(), property.name) != names.end()) {
      list.push_back(&property);
    }
  }
  return list;
}

// The ranks of one check, and what it gave.
class LostRank : public ::testing::Test {
 protected:
  void SetUp() override { fs::remove(mark_of_once()); }
  void TearDown() override {
    fs::remove(mark_of_once());
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "a rank is left behind";
    EXPECT_EQ(errno, ECHILD);
  }

  const StreamReport& check(const std::string& impl, std::vector<Mesh> meshes = {{2, 1}, {3, 1}}) {
    StreamSpec spec;
    spec.impl = impl;
    spec.transport = "gloo";
    spec.meshes = std::move(meshes);
    CheckOptions options;
    options.cases = 4;
    options.seed = 1;
    options.shrink.time = kShrinkTime;
    const auto start = Clock::now();
    {
      auto lab = std::make_shared<RunLab>(
          registry_, std::map<std::string, std::shared_ptr<Transport>>{
                         {"gloo", std::make_shared<ProcessTransport>(options_)}});
      Lanes lanes({LaneLab{lab, [lab] { lab->forget(); }}});
      report_.streams.push_back(check_stream(
          spec, properties_named({kCompletion, "output_matches_reference"}), lanes, options));
    }
    seconds_ = std::chrono::duration<double>(Clock::now() - start).count();
    return report_.streams.back();
  }

  // The failure of completion, which is small and names rank 1.
  const Evidence& failure() {
    const PropertyResult& result = report_.streams.back().results.front();
    EXPECT_EQ(result.property, kCompletion);
    EXPECT_EQ(result.verdict, Verdict::Kind::fail);
    EXPECT_EQ(result.case_->mesh, (Mesh{2, 1}));
    EXPECT_LE(result.case_->problem.kv_len, 4);
    EXPECT_EQ(result.case_->problem.head_dim, 1);
    EXPECT_EQ(result.evidence->rank, 1);
    EXPECT_EQ(report_.exit_code(), 1);
    return *result.evidence;
  }

  // The one line of the report about a rank that was lost once.
  std::string incident() {
    EXPECT_EQ(report_.exit_code(), 3);
    for (const std::string& line : report_.streams.back().unchecked()) {
      if (line.find("did not happen again") != std::string::npos) return line;
    }
    return "none";
  }

  Registry registry_ = faulty_subjects();
  ProcessOptions options_{{self()}, kTimeout};
  CheckReport report_;
  double seconds_ = 0;
};

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_F(LostRank, ThatAbortsIsAShrunkFailureWithWhatItPrinted) {
  check("aborts");
  const std::string message = failure().message;
  EXPECT_TRUE(contains(message, "rank 1 was ended by signal 6 (Aborted)")) << message;
  EXPECT_TRUE(contains(message, "out of luck")) << message;
  EXPECT_LE(report_.streams.back().lost_cases, kMostLostCases);
}

TEST_F(LostRank, ThatExitsIsAShrunkFailureWithItsStatus) {
  check("exits");
  const std::string message = failure().message;
  EXPECT_TRUE(contains(message, "rank 1 exited with status 7")) << message;
}

TEST_F(LostRank, ThatSleepsIsAShrunkFailureWithTheTimeItHad) {
  check("sleeps");
  const std::string message = failure().message;
  EXPECT_TRUE(contains(message, "rank 1 gave no answer")) << message;
  EXPECT_TRUE(contains(message, "it has 3000 ms")) << message;
}

TEST_F(LostRank, ThatThrowsAloneIsNamedWithoutWaitingForItsPeers) {
  options_.timeout = milliseconds(240'000);
  check("throws", {{2, 1}});
  const std::string message = failure().message;
  EXPECT_TRUE(contains(message, "rank 1, forward: only rank 1 is unhappy")) << message;
  EXPECT_LT(seconds_, 120);  // half of it is what a collective has
}

TEST_F(LostRank, OnceIsNotRunAndTheCheckGoesOn) {
  EXPECT_EQ(check("aborts_once").cases, 4);
  const std::string line = incident();
  EXPECT_TRUE(contains(line, "rank 1 was ended by signal 6 (Aborted)")) << line;
  EXPECT_TRUE(contains(line, "case: impl=aborts_once")) << line;
  EXPECT_TRUE(contains(line, "not run there: supported_case_runs_to_the_end")) << line;
  EXPECT_GT(report_.streams.back().results.back().cases, 0);
}

TEST_F(LostRank, KilledFromOutsideIsNamed) {
  check("killed_once", {{4, 1}});
  const std::string line = incident();
  EXPECT_TRUE(contains(line, "rank 1 was ended by signal 9 (Killed)")) << line;
}

TEST_F(LostRank, StoppedFromOutsideIsNamedAndSaidToBeStopped) {
  check("stopped_once", {{4, 1}});
  const std::string line = incident();
  EXPECT_TRUE(contains(line, "rank 1 gave no answer")) << line;
  EXPECT_TRUE(contains(line, "its process is stopped by a signal")) << line;
}

TEST_F(LostRank, AnErrorThatDoesNotComeAgainIsNoFailure) {
  check("throws_once", {{2, 1}});
  const std::string line = incident();
  EXPECT_TRUE(contains(line, "only rank 1 is unhappy")) << line;
}

TEST_F(LostRank, KilledWhileItStartsIsNamed) {
  const std::string script =
      "mkdir " + mark_of_once().string() + " 2>/dev/null && kill -9 $$;" + " exec \"$0\"";
  options_.rank_command = {"sh", "-c", script, self()};
  EXPECT_EQ(check("aborts", {{1, 1}}).cases, 4);
  const std::string line = incident();
  EXPECT_TRUE(contains(line, "rank 0 did not start: it was ended by signal 9 (Killed)")) << line;
}

TEST_F(LostRank, ThatNeverStartsEndsTheStream) {
  options_.rank_command = {"/no/such/program"};
  const StreamReport& report = check("aborts");
  EXPECT_TRUE(report.no_ranks);
  EXPECT_TRUE(contains(report.broken, "cannot start /no/such/program")) << report.broken;
  EXPECT_TRUE(contains(report.broken, "that was start 4, none succeeded")) << report.broken;
  EXPECT_TRUE(contains(report.unchecked().front(), report.broken));
}

}  // namespace
}  // namespace attncheck
