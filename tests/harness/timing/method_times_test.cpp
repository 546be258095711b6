#include "harness/timing/method_times.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "harness/timing/rounds.h"
#include "problem/case_text.h"

namespace attncheck::timing {
namespace {

using Outcome = RankReply::Outcome;

// Answers with times that are known: rank r takes (piece + 1) (r + 1) seconds forward and ten times
// that backward, in every round; the kernel on rank 0 alone.
class KnownTimes : public Transport {
 public:
  std::string name() const override { return "known"; }
  Support supports(const Mesh&) const override { return Support::yes(); }
  std::vector<RankReply> run(const Launch& launch) override {
    const TimingRequest request = parse_timing_request(launch.request);
    std::vector<RankReply> replies(launch.mesh.world());
    for (size_t rank = 0; rank < replies.size(); ++rank) {
      replies[rank].bytes = to_bytes(times_of(request, rank));
    }
    if (edit) edit(replies);
    return replies;
  }
  void allow(std::chrono::milliseconds limit) override { allowed.push_back(limit); }

  std::function<void(std::vector<RankReply>&)> edit;
  std::vector<std::chrono::milliseconds> allowed;

 private:
  static RankTimes times_of(const TimingRequest& request, size_t rank) {
    RankTimes times;
    for (size_t i = 0; i < request.passes.size() + request.exchanges.size(); ++i) {
      const double seconds = double((i + 1) * (rank + 1));
      const bool pass = i < request.passes.size();
      times.laps.push_back({{seconds}, pass ? std::vector{10 * seconds} : std::vector<double>()});
      if (pass && request.passes[i].impl == "local" && rank > 0) times.laps.back() = {};
    }
    return times;
  }
};

Support yes(const Case&, const Backend&) {
  return Support::yes();
}

Registry registry_of(std::function<Support(const Case&, const Backend&)> ulysses = yes) {
  Registry registry;
  Backend backend;
  backend.name = "some";
  backend.supports = [](const Problem& p) {
    return p.dtype == DType::f16 ? Support::no("no f16") : Support::yes();
  };
  registry.backends = {backend};
  for (const char* name : {"ring", "unified", "allgather_kv"}) {
    registry.implementations.push_back({name, yes, nullptr});
  }
  registry.implementations.push_back({"ulysses", std::move(ulysses), nullptr});
  return registry;
}

Question question_of(int ranks) {
  Question question;
  question.shapes = {"flux"};
  question.scale = 0.01;
  question.ranks = ranks;
  question.backend = "some";
  question.repetitions = 3;
  return question;
}

TimeTable measured(const Registry& registry, KnownTimes& ranks, const Question& question) {
  return measure(registry, ranks, question, [](const TimingProgress&) {});
}

const PassRow& row_of(const ShapeTimes& shape, const std::string& impl) {
  const auto found = std::find_if(shape.passes.begin(), shape.passes.end(),
                                  [&](const PassRow& row) { return row.case_.impl == impl; });
  EXPECT_NE(found, shape.passes.end()) << impl;
  return *found;
}

TEST(TimedCases, AreTheKernelAndEveryMethodOnEveryFactorisation) {
  const Question question = question_of(4);
  std::multiset<std::string> found;
  for (const Case& c : timed_cases(question, Problem())) {
    found.insert(c.impl + " " + to_text(c.mesh) + " " + to_text(c.rotate));
  }
  EXPECT_EQ(found,
            (std::multiset<std::string>{"local 1x1 allgather", "ring 4x1 allgather", "ring 4x1 p2p",
                                        "unified 2x2 allgather", "unified 2x2 p2p",
                                        "ulysses 1x4 allgather", "allgather_kv 4x1 allgather"}));
}

TEST(MethodTimes, AreThoseOfTheSlowestRank) {
  KnownTimes ranks;
  const TimeTable table = measured(registry_of(), ranks, question_of(4));
  ASSERT_EQ(table.shapes.size(), 1u);
  const PassRow& first = table.shapes[0].passes[1];
  EXPECT_EQ(first.case_.impl, "ring");
  EXPECT_DOUBLE_EQ(first.forward->seconds.median, 2 * 4);
  EXPECT_DOUBLE_EQ(first.backward->seconds.median, 20 * 4);
  EXPECT_EQ(first.forward->seconds.repetitions, 3);
}

TEST(MethodTimes, ArePercentOfTheKernelAlone) {
  KnownTimes ranks;
  const ShapeTimes shape = measured(registry_of(), ranks, question_of(4)).shapes[0];
  EXPECT_DOUBLE_EQ(shape.passes[0].forward->percent.median, 100);
  EXPECT_DOUBLE_EQ(shape.passes[0].backward->percent.median, 100);
  EXPECT_DOUBLE_EQ(shape.passes[1].forward->percent.median, 100.0 * 1 / (4 * 8));
  EXPECT_DOUBLE_EQ(shape.passes[1].backward->percent.median, 100.0 * 10 / (4 * 80));
  EXPECT_DOUBLE_EQ(shape.passes[1].forward->flops, products_of(shape.problem).forward / (4 * 8));
}

TEST(MethodTimes, AreTokensASecond) {
  KnownTimes ranks;
  const ShapeTimes shape = measured(registry_of(), ranks, question_of(4)).shapes[0];
  EXPECT_DOUBLE_EQ(shape.passes[1].forward->tokens, double(shape.problem.q_len) / 8);
  EXPECT_FALSE(shape.passes[1].forward->bytes);  // these ranks keep no diary
}

TEST(MethodTimes, OfSeveralLengthsAreAShapeEach) {
  KnownTimes ranks;
  Question question = question_of(4);
  question.lengths = {1024, 32770};
  question.causal = true;
  const TimeTable table = measured(registry_of(), ranks, question);
  ASSERT_EQ(table.shapes.size(), 2u);
  EXPECT_EQ(table.shapes[0].problem.q_len, 1024);
  EXPECT_EQ(table.shapes[1].problem.q_len, 32776);  // two for each rank
  EXPECT_EQ(table.shapes[1].problem.kv_len, 32776);
  EXPECT_TRUE(table.shapes[1].passes[1].case_.problem.causal);
}

TEST(MethodTimes, OfOtherHeadsHaveAsManyToAHeadOfKeys) {
  KnownTimes ranks;
  Question question = question_of(2);
  question.shapes = {"llama3_8b"};
  question.scale = 0.001;
  question.heads = 8;
  const Problem problem = measured(registry_of(), ranks, question).shapes[0].problem;
  EXPECT_EQ(problem.heads, 8);
  EXPECT_EQ(problem.kv_heads, 2);
}

TEST(MethodTimes, TellThoseWhoWaitAfterEveryRound) {
  KnownTimes ranks;
  Question question = question_of(2);
  question.lengths = {64, 128};
  std::vector<std::string> told;
  measure(registry_of(), ranks, question, [&](const TimingProgress& p) {
    told.push_back(std::to_string(p.tokens) + ": " + std::to_string(p.round) + "/" +
                   std::to_string(p.rounds));
    EXPECT_EQ(p.seconds_left.has_value(), p.round > 0);
  });
  EXPECT_EQ(told,
            (std::vector<std::string>{"64: 0/4", "64: 1/4", "64: 2/4", "64: 3/4", "64: 4/4",
                                      "128: 0/4", "128: 1/4", "128: 2/4", "128: 3/4", "128: 4/4"}));
}

TEST(MethodTimes, LongWorkHasALimitThatGrewWithIt) {
  KnownTimes ranks;
  Question question = question_of(2);
  question.lengths = {1024, 32768};
  const TimeTable table = measured(registry_of(), ranks, question);
  ASSERT_EQ(ranks.allowed.size(), 2u);
  const Problem& longest = table.shapes[1].problem;
  const size_t passes = table.shapes[1].passes.size();
  EXPECT_EQ(ranks.allowed[1], round_limit(11, probe_of(longest), longest, passes));
  EXPECT_GT(ranks.allowed[1], 900 * ranks.allowed[0]);
  question.fixed_limit = true;
  measured(registry_of(), ranks, question);
  EXPECT_EQ(ranks.allowed.size(), 2u);
}

TEST(LoadBound, IsThatOfACausalRingOnContiguousShards) {
  EXPECT_DOUBLE_EQ(*load_bound(parse_case("impl=ring mesh=4x1 q=8 d=1 causal=1")), 4.0 / 7);
  EXPECT_DOUBLE_EQ(*load_bound(parse_case("impl=unified mesh=2x2 q=8 h=2 d=1 causal=1")), 2.0 / 3);
  EXPECT_FALSE(load_bound(parse_case("impl=ring mesh=4x1 q=8 d=1")));
  EXPECT_FALSE(load_bound(parse_case("impl=ring mesh=4x1 q=8 d=1 causal=1 layout=zigzag")));
  EXPECT_FALSE(load_bound(parse_case("impl=unified mesh=1x4 q=8 h=4 d=1 causal=1")));
  EXPECT_FALSE(load_bound(parse_case("impl=allgather_kv mesh=4x1 q=8 d=1 causal=1")));
}

TEST(MethodTimes, OfExchangesAreBandwidths) {
  KnownTimes ranks;
  const ShapeTimes shape = measured(registry_of(), ranks, question_of(4)).shapes[0];
  ASSERT_EQ(shape.exchanges.size(), 3u);
  const ExchangeRow& gather = shape.exchanges[0];
  const double seconds = double(shape.passes.size() + 1) * 4;
  EXPECT_EQ(gather.bytes, exchanged_elements(shape.problem, 4) * 2);
  EXPECT_DOUBLE_EQ(gather.seconds.median, seconds);
  EXPECT_DOUBLE_EQ(gather.bandwidth.bus, 3 * double(gather.bytes) / seconds);
}

TEST(MethodTimes, OfOneRankHaveNoExchanges) {
  KnownTimes ranks;
  const TimeTable table = measured(registry_of(), ranks, question_of(1));
  EXPECT_TRUE(table.shapes[0].exchanges.empty());
  EXPECT_EQ(table.exit_code(), 0);
}

TEST(MethodTimes, WhatAMethodRefusesIsARowThatSaysWhy) {
  KnownTimes ranks;
  const Registry registry =
      registry_of([](const Case&, const Backend&) { return Support::no("24 heads on 5 ranks"); });
  const TimeTable table = measured(registry, ranks, question_of(4));
  const PassRow& ulysses = row_of(table.shapes[0], "ulysses");
  EXPECT_EQ(ulysses.why_not, "24 heads on 5 ranks");
  EXPECT_FALSE(ulysses.forward);
  EXPECT_DOUBLE_EQ(row_of(table.shapes[0], "allgather_kv").forward->seconds.median, 6 * 4);
  EXPECT_EQ(table.exit_code(), 0);
}

TEST(MethodTimes, WithoutTheKernelNothingIsTimed) {
  KnownTimes ranks;
  Question question = question_of(2);
  question.dtype = DType::f16;
  const TimeTable table = measured(registry_of(), ranks, question);
  EXPECT_EQ(table.shapes[0].not_run, "no f16");
  EXPECT_EQ(table.exit_code(), 3);
}

TEST(MethodTimes, ARankWithoutTimesIsNamed) {
  KnownTimes ranks;
  ranks.edit = [](std::vector<RankReply>& replies) {
    replies[0].outcome = Outcome::bystander;
    replies[1].bytes = to_bytes(RankTimes{{}, "out of memory"});
  };
  TimeTable table = measured(registry_of(), ranks, question_of(2));
  EXPECT_EQ(table.shapes[0].not_run, "rank 1: out of memory");
  ranks.edit = [](std::vector<RankReply>& replies) {
    replies[1].outcome = Outcome::signalled;
    replies[1].note = "was ended by signal 6";
  };
  table = measured(registry_of(), ranks, question_of(2));
  EXPECT_EQ(table.shapes[0].not_run, "rank 1: was ended by signal 6");
  EXPECT_EQ(table.exit_code(), 3);
}

TEST(MethodTimes, ASilentRankSaysWhatGivesItMoreTime) {
  KnownTimes ranks;
  ranks.edit = [](std::vector<RankReply>& replies) {
    replies[1].outcome = Outcome::silent;
    replies[1].note = "gave no answer";
  };
  const TimeTable table = measured(registry_of(), ranks, question_of(2));
  EXPECT_EQ(table.shapes[0].not_run,
            "rank 1: gave no answer; --rank-timeout S gives a round more seconds");
}

TEST(MethodTimes, OthersAreTimedBesideAndWhatOneRefusesAtTheCallIsARow) {
  Registry registry = registry_of();
  registry.implementations.push_back({"theirs", yes, nullptr});
  KnownTimes ranks;
  ranks.edit = [](std::vector<RankReply>& replies) {
    for (RankReply& reply : replies) {
      RankTimes times = rank_times_from_bytes(reply.bytes);
      if (times.laps.size() > 6) times.laps[6] = {{}, {}, "it has no p2p"};
      reply.bytes = to_bytes(times);
    }
  };
  Question question = question_of(2);
  question.impls = {"theirs"};
  const TimeTable table = measured(registry, ranks, question);
  const std::vector<PassRow>& rows = table.shapes[0].passes;
  ASSERT_EQ(rows.size(), 8u);  // the kernel, ring twice, ulysses, gathered keys; theirs
  EXPECT_EQ(to_text(rows[5].case_).find("impl=theirs"), 0u);
  EXPECT_TRUE(rows[5].forward && rows[5].backward);
  EXPECT_EQ(rows[6].why_not, "it has no p2p");
  EXPECT_FALSE(rows[6].forward || rows[6].backward);
  EXPECT_NE(table_text(table).find("not timed: it has no p2p"), std::string::npos);
}

TEST(TimeTable, SaysEveryRowAsTextAndAsJson) {
  KnownTimes ranks;
  const TimeTable table = measured(registry_of(), ranks, question_of(4));
  const std::string text = table_text(table);
  for (const char* part : {"4 ranks", "kernel alone", "ring", "2x2", "p2p", "ulysses",
                           "allgather_kv", "busbw GB/s", "send_recv", "of 3 repetitions"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
  const auto json = nlohmann::json::parse(table_json(table));
  EXPECT_EQ(json["bench"], "methods");
  const auto& shape = json["shapes"][0];
  EXPECT_EQ(shape["passes"].size(), table.shapes[0].passes.size());
  EXPECT_EQ(shape["passes"][1]["forward"]["seconds"]["median"], 8);
  EXPECT_EQ(shape["exchanges"][2]["exchange"], "send_recv");
}

}  // namespace
}  // namespace attncheck::timing
