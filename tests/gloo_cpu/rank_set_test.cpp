#include "gloo_cpu/rank_set.h"

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <c10/util/Exception.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include "tests/gloo_cpu/test_support.h"

namespace attncheck::gloo_cpu {
namespace {

using Outcome = RankReply::Outcome;

std::vector<std::string> texts_of(const std::vector<RankReply>& replies) {
  std::vector<std::string> texts;
  for (const RankReply& reply : replies) texts.push_back(reply.bytes);
  return texts;
}

TEST(RankSet, AnswersInOrderOfRank) {
  RankSet ranks(options_for(4));
  EXPECT_EQ(texts_of(ranks.run("echo !")), (std::vector<std::string>{"0!", "1!", "2!", "3!"}));
  EXPECT_TRUE(ranks.usable());
}

TEST(RankSet, EmptyAnswersAndBytesWithZerosArrive) {
  RankSet ranks(options_for(2));
  const std::string zeros("echo a\0b\0", 9);
  EXPECT_EQ(ranks.run(zeros)[1].bytes, std::string("1a\0b\0", 5));
  EXPECT_EQ(ranks.run("echo")[0].bytes, "0");
}

TEST(RankSet, KeepsItsProcessesFromRequestToRequest) {
  RankSet ranks(options_for(3));
  const auto first = texts_of(ranks.run("pid"));
  for (int i = 0; i < 100; ++i) ASSERT_EQ(texts_of(ranks.run("pid")), first);
  for (int rank = 0; rank < 3; ++rank) EXPECT_EQ(first[rank], std::to_string(ranks.pids()[rank]));
}

TEST(RankSet, LargeFramesPassBothWays) {
  RankSet ranks(options_for(3));
  std::string large(20'000'000, 'x');
  for (std::size_t i = 0; i < large.size(); i += 997) large[i] = static_cast<char>('a' + i % 26);
  const auto replies = ranks.run("echo " + large);
  for (int rank = 0; rank < 3; ++rank) {
    ASSERT_EQ(replies[rank].outcome, Outcome::answered);
    EXPECT_TRUE(replies[rank].bytes == std::to_string(rank) + large) << "rank " << rank;
  }
}

TEST(RankSet, TwoSetsWorkSideBySide) {
  RankSet two(options_for(2)), three(options_for(3));
  std::thread other([&] {
    for (int i = 0; i < 20; ++i) EXPECT_EQ(three.run("collectives").size(), 3u);
  });
  for (int i = 0; i < 20; ++i) EXPECT_EQ(two.run("collectives").size(), 2u);
  other.join();
}

TEST(RankSet, OutlivesTheThreadThatMadeIt) {
  std::unique_ptr<RankSet> ranks;
  std::thread([&] { ranks = std::make_unique<RankSet>(options_for(2)); }).join();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_EQ(texts_of(ranks->run("echo")), (std::vector<std::string>{"0", "1"}));
}

TEST(RankSet, LeavesNoProcessBehind) {
  std::vector<pid_t> pids;
  {
    RankSet ranks(options_for(4));
    ranks.run("collectives");
    pids = ranks.pids();
    for (pid_t pid : pids) EXPECT_TRUE(runs(pid));
  }
  for (pid_t pid : pids) EXPECT_FALSE(runs(pid));
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST(RankSet, ASetThatIsNotUsedAtAllEndsToo) {
  auto ranks = std::make_unique<RankSet>(options_for(4));
  const std::vector<pid_t> pids = ranks->pids();
  const auto start = std::chrono::steady_clock::now();
  ranks.reset();
  EXPECT_LT(seconds_since(start), 5);
  for (pid_t pid : pids) EXPECT_FALSE(runs(pid));
}

TEST(RankSet, LogsOfTheRanksGoToTheFolder) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("attncheck-gloo-log-" + std::to_string(::getpid()));
  RankSetOptions options = options_for(2);
  options.log_dir = folder.string();
  RankSet(options).run("shout first");
  RankSet(options).run("shout second");
  std::ifstream file(folder / "rank0.log");
  const std::string log((std::istreambuf_iterator<char>(file)), {});
  std::filesystem::remove_all(folder);
  for (const char* text : {"on stdout first", "on stderr first of rank 0", "on stderr second"}) {
    EXPECT_NE(log.find(text), std::string::npos) << text << " in: " << log;
  }
}

TEST(RankSet, SetsSideBySideHaveLogsOfTheirOwn) {
  const auto folder = std::filesystem::temp_directory_path() /
                      ("attncheck-gloo-logs-" + std::to_string(::getpid()));
  RankSetOptions options = options_for(1);
  options.log_dir = folder.string();
  for (const char* prefix : {"lane0-", "lane1-"}) {
    options.log_prefix = prefix;
    RankSet(options).run(std::string("shout ") + prefix);
  }
  std::ifstream file(folder / "lane1-rank0.log");
  const std::string log((std::istreambuf_iterator<char>(file)), {});
  const bool both = std::filesystem::exists(folder / "lane0-rank0.log");
  std::filesystem::remove_all(folder);
  EXPECT_TRUE(both);
  EXPECT_EQ(log, "on stdout lane1-\non stderr lane1- of rank 0\n");
}

TEST(RankSet, RefusesOptionsThatCannotBe) {
  EXPECT_THROW(RankSet(options_for(0)), c10::Error);
  EXPECT_THROW(RankSet(options_for(1, std::chrono::milliseconds(0))), c10::Error);
  EXPECT_THROW(RankSet(RankSetOptions{}), c10::Error);
}

TEST(RankSet, TellsWhatARequestCosts) {
  RankSet ranks(options_for(4));
  ranks.run("collectives");
  constexpr int kRequests = 300;
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < kRequests; ++i) ASSERT_TRUE((ranks.run("collectives"), ranks.usable()));
  const double ms = 1000 * seconds_since(start) / kRequests;
  std::printf("4 ranks, 4 collectives: %.2f ms a request\n", ms);
  RecordProperty("ms_per_request", std::to_string(ms));
  EXPECT_LT(ms, 1000);  // a bound on hanging, not on speed
}

}  // namespace
}  // namespace attncheck::gloo_cpu
