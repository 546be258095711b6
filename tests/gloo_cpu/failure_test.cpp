#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <c10/util/Exception.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include "gloo_cpu/child_process.h"
#include "gloo_cpu/rank_log.h"
#include "gloo_cpu/rank_set.h"
#include "tests/gloo_cpu/test_support.h"

namespace attncheck::gloo_cpu {
namespace {

using Outcome = RankReply::Outcome;
using std::chrono::seconds;

void expect_a_new_set_works() {
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "a child is left behind";
  RankSet ranks(options_for(3));
  for (const RankReply& reply : ranks.run("collectives")) {
    EXPECT_EQ(reply.outcome, Outcome::answered) << describe(reply, -1);
  }
}

// Runs one request on four fresh ranks; fails if that takes longer than `at_most`.
std::vector<RankReply> run_once(const std::string& request, seconds timeout, seconds at_most) {
  RankSet ranks(options_for(4, timeout));
  const auto start = std::chrono::steady_clock::now();
  auto replies = ranks.run(request);
  EXPECT_LT(seconds_since(start), static_cast<double>(at_most.count())) << request;
  EXPECT_FALSE(ranks.usable());
  EXPECT_THROW(ranks.run("echo"), c10::Error);
  return replies;
}

// In Gloo's ring the neighbours see a death at once, the others only at the group's timeout.
TEST(RankFailure, AbortIsASignalAndPeersReportTheExchangeThatFailed) {
  const auto replies = run_once("abort 2", seconds(60), seconds(20));
  EXPECT_EQ(replies[2].outcome, Outcome::signalled);
  EXPECT_EQ(replies[2].code, SIGABRT);
  for (int neighbour : {1, 3}) {
    const RankReply& reply = replies[neighbour];
    EXPECT_EQ(reply.outcome, Outcome::answered) << describe(reply, neighbour);
    EXPECT_EQ(reply.bytes.find("error: "), 0u) << reply.bytes;
  }
  const bool cut_short = replies[0].outcome == Outcome::cut_short;
  EXPECT_TRUE(cut_short || replies[0].bytes.find("error: ") == 0) << describe(replies[0], 0);
  expect_a_new_set_works();
}

TEST(RankFailure, ExitGivesItsStatus) {
  const auto replies = run_once("exit 1", seconds(60), seconds(20));
  EXPECT_EQ(replies[1].outcome, Outcome::exited);
  EXPECT_EQ(replies[1].code, 7);
  EXPECT_EQ(replies[0].outcome, Outcome::answered);
  expect_a_new_set_works();
}

TEST(RankFailure, ARankThatSleepsIsSilentAndTheOthersAnswered) {
  const auto replies = run_once("sleep 3", seconds(3), seconds(8));
  EXPECT_EQ(replies[3].outcome, Outcome::silent);
  EXPECT_GE(replies[3].after, seconds(3));
  for (int peer : {0, 1, 2}) EXPECT_EQ(replies[peer].bytes, "awake");
  expect_a_new_set_works();
}

TEST(RankFailure, AnExchangeThatNobodyJoinsIsReportedByItsRanksBeforeTheTimeIsUp) {
  const auto replies = run_once("absent 0", seconds(4), seconds(9));
  EXPECT_EQ(replies[0].outcome, Outcome::silent);
  for (int peer : {1, 2, 3}) {
    EXPECT_EQ(replies[peer].outcome, Outcome::answered) << describe(replies[peer], peer);
    EXPECT_EQ(replies[peer].bytes.find("error: "), 0u) << replies[peer].bytes;
    EXPECT_LT(replies[peer].after, seconds(4));
  }
}

TEST(RankFailure, ADisagreementOnSizesIsAnOutcomeWithGloosWords) {
  const auto replies = run_once("mismatch", seconds(60), seconds(20));
  EXPECT_EQ(replies[1].outcome, Outcome::signalled);
  EXPECT_EQ(replies[1].code, SIGABRT);
  EXPECT_NE(replies[1].log_tail.find("EnforceNotMet"), std::string::npos) << replies[1].log_tail;
  expect_a_new_set_works();
}

TEST(RankFailure, AStoppedRankIsSilentAndSaidToBeStopped) {
  RankSet ranks(options_for(4, seconds(3)));
  ranks.run("collectives");
  ::kill(ranks.pids()[2], SIGSTOP);
  const auto start = std::chrono::steady_clock::now();
  const auto replies = ranks.run("collectives");
  EXPECT_LT(seconds_since(start), 6);
  EXPECT_EQ(replies[2].outcome, Outcome::silent);
  EXPECT_NE(describe(replies[2], 2).find("rank 2 gave no answer"), std::string::npos);
  EXPECT_NE(replies[2].detail.find("it has 3000 ms"), std::string::npos) << replies[2].detail;
  EXPECT_NE(replies[2].detail.find("is stopped by a signal"), std::string::npos);
}

TEST(RankFailure, ARankThatLeavesAnExchangeDoesNotKeepTheOthersWaiting) {
  const auto replies = run_once("leave 1", seconds(60), seconds(8));
  EXPECT_EQ(replies[1].bytes, "left");
  for (int peer : {0, 2, 3}) EXPECT_EQ(replies[peer].outcome, Outcome::cut_short) << peer;
}

TEST(RankFailure, WhatATerminalSendsIsTheParentsToDecide) {
  RankSet ranks(options_for(2));
  for (pid_t pid : ranks.pids()) {
    ::kill(pid, SIGINT);
    ::kill(pid, SIGHUP);
  }
  EXPECT_EQ(ranks.run("echo")[1].bytes, "1");
}

TEST(RankFailure, PeersWithoutAnAnswerAreCutShortSoonAfterADeath) {
  RankSet ranks(options_for(2, seconds(30)));
  ::kill(ranks.pids()[0], SIGKILL);
  const auto start = std::chrono::steady_clock::now();
  const auto replies = ranks.run("sleep 1");
  EXPECT_LT(seconds_since(start), 10);
  EXPECT_EQ(replies[0].outcome, Outcome::signalled);
  EXPECT_EQ(replies[0].code, SIGKILL);
  EXPECT_EQ(replies[1].outcome, Outcome::cut_short);
}

TEST(RankFailure, AnExceptionOutOfTheAnswerEndsTheRankAndItsTextIsInTheLog) {
  const auto replies = run_once("throw", seconds(60), seconds(20));
  for (const RankReply& reply : replies) {
    EXPECT_EQ(reply.outcome, Outcome::signalled);
    EXPECT_NE(reply.log_tail.find("out of the answer"), std::string::npos) << reply.log_tail;
  }
}

TEST(RankFailure, LogTailIsOfThisRequestAlone) {
  RankSet ranks(options_for(1));
  ranks.run("shout before");
  const auto replies = RankSet(options_for(2)).run("shout now");
  EXPECT_EQ(replies[0].log_tail, "");
  EXPECT_EQ(replies[1].code, 3);
  EXPECT_EQ(replies[1].log_tail, "on stdout now\non stderr now of rank 1\n");
}

TEST(RankFailure, DistrustedGroupsEndTheSetButNotTheAnswer) {
  RankSet ranks(options_for(2));
  const auto replies = ranks.run("distrust");
  for (const RankReply& reply : replies) EXPECT_EQ(reply.bytes, "distrusted");
  EXPECT_FALSE(ranks.usable());
}

TEST(RankFailure, GroupsThatAreMadeAnewSpareTheRanksAsOftenAsTheyMayBe) {
  RankSetOptions options = options_for(2);
  options.most_renewals = 1;
  RankSet ranks(options);
  const auto pids = ranks.pids();
  const std::string right = ranks.run("collectives")[1].bytes;
  EXPECT_TRUE(ranks.fresh());
  ranks.run("distrust");
  ASSERT_TRUE(ranks.usable());
  EXPECT_FALSE(ranks.fresh());
  EXPECT_FALSE(ranks.renewed());
  EXPECT_EQ(ranks.run("collectives")[1].bytes, right);
  EXPECT_TRUE(ranks.renewed());
  EXPECT_EQ(ranks.pids(), pids);
  ranks.run("distrust");
  EXPECT_FALSE(ranks.usable());
}

std::string start_error(const RankSetOptions& options) {
  try {
    RankSet ranks(options);
  } catch (const c10::Error& error) {
    return error.what_without_backtrace();
  }
  return "started";
}

TEST(RankFailure, ACommandThatCannotStartIsSaidWithItsReason) {
  RankSetOptions options = options_for(2);
  options.command.argv = {"/no/such/program"};
  const std::string message = start_error(options);
  EXPECT_NE(message.find("exited with status 127"), std::string::npos) << message;
  EXPECT_NE(message.find("cannot start /no/such/program: No such file"), std::string::npos)
      << message;
}

TEST(RankFailure, AStartThatFailsTellsOfEachRank) {
  RankSetOptions options = options_for(3);
  options.command.argv = {"sh", "-c", "[ $ATTNCHECK_RANK != 1 ] || kill -9 $$; exec \"$0\"",
                          self()};
  try {
    RankSet ranks(options);
    FAIL() << "it started";
  } catch (const StartError& error) {
    EXPECT_EQ(error.replies()[1].outcome, Outcome::signalled);
    EXPECT_EQ(error.replies()[1].code, SIGKILL);
    for (int peer : {0, 2}) EXPECT_NE(error.replies()[peer].outcome, Outcome::signalled) << peer;
  }
}

TEST(RankFailure, ACommandThatIsNoRankIsRefusedInTime) {
  RankSetOptions options = options_for(2);
  options.start_timeout = seconds(1);
  options.command.argv = {"sleep", "1000"};
  const auto start = std::chrono::steady_clock::now();
  const std::string message = start_error(options);
  EXPECT_NE(message.find("rank 0 gave no answer"), std::string::npos) << message;
  EXPECT_LT(seconds_since(start), 5);
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "a child is left behind";
}

TEST(RankFailure, AParentThatIsKilledLeavesNoRank) {
  RankLog log("", "", 0);
  std::vector<std::string> environment{std::string(kRole) + "=parent"};
  for (char** entry = environ; *entry != nullptr; ++entry) environment.emplace_back(*entry);
  auto parent = std::make_unique<ChildProcess>(ChildCommand{{self()}, environment, log.fd(), {}});
  const auto start = std::chrono::steady_clock::now();
  while (log.tail(1000).find("end") == std::string::npos && seconds_since(start) < 60) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  std::istringstream words(log.tail(1000));
  std::vector<pid_t> ranks;
  for (pid_t pid = 0; words >> pid;) ranks.push_back(pid);
  ASSERT_EQ(ranks.size(), 3u) << log.tail(1000);
  for (pid_t pid : ranks) EXPECT_TRUE(runs(pid));
  parent.reset();  // SIGKILL
  EXPECT_TRUE(all_end_within(ranks, seconds(5)));
}

TEST(RankFailure, ARankBehindAScriptLeavesWithItsParentToo) {
  RankSetOptions options = options_for(2, seconds(2));
  options.command.argv = {"sh", "-c", "\"$0\"; exit $?", self()};
  std::vector<pid_t> ranks;
  {
    RankSet set(options);
    for (const RankReply& reply : set.run("pid")) ranks.push_back(std::stoi(reply.bytes));
    EXPECT_NE(ranks, set.pids());
    EXPECT_EQ(set.run("sleep")[0].outcome, Outcome::silent);
  }
  EXPECT_TRUE(all_end_within(ranks, seconds(5)));
}

}  // namespace
}  // namespace attncheck::gloo_cpu
