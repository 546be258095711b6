#include <gtest/gtest.h>

#include "tests/properties/oracle_lab.h"

namespace attncheck {
namespace {

constexpr const char* kCase = "impl=ring mesh=3x1 q=6 h=2 d=4 seed=1";

// All ranks as a transport sees them that sees exchanges.
void give_traces(OracleLab& lab, std::function<void(const Request&, int, RankTrace&)> fill) {
  lab.plant([fill](const Request& request, Observation& observation) {
    for (RankResult& rank : observation.ranks) {
      rank.trace.emplace();
      fill(request, rank.rank, *rank.trace);
    }
  });
}

void give_finding(OracleLab& lab, Finding::Kind kind, bool watched_alone) {
  give_traces(lab, [=](const Request& request, int rank, RankTrace& trace) {
    if (rank == 1 && (request.watch || !watched_alone)) {
      trace.findings.push_back({kind, "allgather #2 of group [0..2]", "rank 1 errs"});
    }
  });
}

TEST(Findings, EachIsAFailureOfTheFirstPropertyThatNamesIt) {
  using Kind = Finding::Kind;
  for (const auto& [kind, property] :
       {std::pair{Kind::unwaited, "every_work_is_waited_for"},
        std::pair{Kind::read_early, "every_work_is_waited_for"},
        std::pair{Kind::written_early, "every_work_is_waited_for"},
        std::pair{Kind::aliased, "every_work_is_waited_for"},
        std::pair{Kind::read_early, "nothing_uninitialised_is_read"},
        std::pair{Kind::mismatch, "collectives_match_on_all_ranks"},
        std::pair{Kind::unmatched, "collectives_match_on_all_ranks"}}) {
    OracleLab lab;
    give_finding(lab, kind, /*watched_alone=*/false);
    const Verdict verdict = judge(property, kCase, lab);
    ASSERT_TRUE(verdict.failed()) << property;
    EXPECT_EQ(verdict.evidence->rank, 1);
    EXPECT_EQ(verdict.evidence->message, "rank 1 errs");
  }
}

TEST(Findings, ThoseOfAnotherPropertyDoNotCount) {
  OracleLab mismatched, unwaited;
  give_finding(mismatched, Finding::Kind::mismatch, false);
  give_finding(unwaited, Finding::Kind::unwaited, false);
  EXPECT_EQ(judge("every_work_is_waited_for", kCase, mismatched).kind, Verdict::Kind::pass);
  EXPECT_EQ(judge("collectives_match_on_all_ranks", kCase, unwaited).kind, Verdict::Kind::pass);
}

TEST(Findings, ReadsAndWritesInFlightAreLookedForInWatchedRuns) {
  OracleLab lab;
  give_finding(lab, Finding::Kind::read_early, /*watched_alone=*/true);
  EXPECT_TRUE(judge("every_work_is_waited_for", kCase, lab).failed());
}

TEST(Findings, CountAlsoWhenTheRunEndedEarly) {
  OracleLab lab;
  give_finding(lab, Finding::Kind::unmatched, false);
  lab.fail(0, Phase::forward, "deadlock");
  EXPECT_TRUE(judge("collectives_match_on_all_ranks", kCase, lab).failed());
  OracleLab without;
  give_traces(without, [](const Request&, int, RankTrace&) {});
  without.fail(0, Phase::forward, "deadlock");
  EXPECT_EQ(judge("collectives_match_on_all_ranks", kCase, without).kind, Verdict::Kind::not_run);
}

TEST(Findings, AreUnsupportedWhereNobodySeesExchanges) {
  OracleLab lab;
  for (const char* property :
       {"every_work_is_waited_for", "collectives_match_on_all_ranks", "bytes_match_theory"}) {
    EXPECT_EQ(judge(property, kCase, lab).kind, Verdict::Kind::unsupported) << property;
  }
}

TEST(Schedules, EveryOtherOrderIsComparedWithThePlainOne) {
  OracleLab right;
  EXPECT_EQ(judge("schedule_does_not_matter", kCase, right).kind, Verdict::Kind::pass);
  for (const char* schedule : {"random:1", "pct:3:1"}) {
    OracleLab lab;
    lab.add_when([=](const Request& r) { return r.case_.schedule == schedule; }, 2, "dk", 1e-15);
    const Verdict verdict = judge("schedule_does_not_matter", kCase, lab);
    ASSERT_TRUE(verdict.failed()) << schedule;
    EXPECT_NE(verdict.evidence->message.find(std::string("schedule=") + schedule),
              std::string::npos);
  }
}

TEST(Schedules, AnErrorUnderOneOrderAloneFails) {
  OracleLab lab;
  lab.plant([](const Request& request, Observation& observation) {
    if (request.case_.schedule == "pct:3:1") {
      observation.ranks[1].error = RankError{Phase::forward, "deadlock"};
    }
  });
  EXPECT_TRUE(judge("schedule_does_not_matter", kCase, lab).failed());
}

TEST(Schedules, AreUnsupportedWhereNoneCanBeFollowed) {
  OracleLab lab;
  lab.supports_case = [](const Case& c) {
    return c.schedule.empty() ? Support::yes() : Support::no("no order");
  };
  EXPECT_EQ(judge("schedule_does_not_matter", kCase, lab).kind, Verdict::Kind::unsupported);
}

// mesh=3x1 q=6 h=2 d=4 f64: 2 tokens a rank; k and v of one rank are 2 * 2 * 8 * 8 = 256 bytes.
void give_bytes(OracleLab& lab, int64_t forward, int64_t backward) {
  give_traces(lab, [=](const Request& request, int, RankTrace& trace) {
    const int64_t bytes = forward + (request.backward ? backward : 0);
    if (bytes > 0) trace.received.push_back({0, "allgather", bytes, 1});
  });
}

TEST(Bytes, OfARingAreTwoShardsForwardAndTwiceThatBackward) {
  for (const auto& [forward, backward, holds] :
       {std::tuple{512, 1024, true}, std::tuple{512, 1023, false}, std::tuple{768, 1024, false},
        std::tuple{256, 1024, false}, std::tuple{512, 1280, false}}) {
    OracleLab lab;
    lab.declared_method = Method::ring;
    give_bytes(lab, forward, backward);
    EXPECT_EQ(judge("bytes_match_theory", kCase, lab).failed(), !holds)
        << forward << " " << backward;
  }
}

TEST(Bytes, OfARingBySendAndReceiveMayHaveAHopMore) {
  for (const auto& [backward, holds] :
       {std::pair{1024, true}, std::pair{1280, true}, std::pair{1536, false}}) {
    OracleLab lab;
    lab.declared_method = Method::ring;
    give_bytes(lab, 512, backward);
    const std::string text = std::string(kCase) + " rotate=p2p";
    EXPECT_EQ(judge("bytes_match_theory", text, lab).failed(), !holds) << backward;
  }
}

// The keys of the others forward; backward their sums for the own shard, and the keys once more
// unless they were kept.
TEST(Bytes, OfGatheredKeysAreTwoShardsForwardAndTwoOrFourBackward) {
  for (const auto& [forward, backward, holds] :
       {std::tuple{512, 1024, true}, std::tuple{512, 512, true}, std::tuple{512, 511, false},
        std::tuple{512, 1025, false}, std::tuple{513, 1024, false},
        std::tuple{1024, 1024, false}}) {
    OracleLab lab;
    lab.declared_method = Method::allgather_kv;
    give_bytes(lab, forward, backward);
    EXPECT_EQ(judge("bytes_match_theory", kCase, lab).failed(), !holds)
        << forward << " " << backward;
  }
}

TEST(Bytes, OfAnUndeclaredMethodAreNotZero) {
  OracleLab none, some;
  give_bytes(none, 0, 0);
  give_bytes(some, 8, 0);
  EXPECT_TRUE(judge("bytes_match_theory", kCase, none).failed());
  EXPECT_EQ(judge("bytes_match_theory", kCase, some).kind, Verdict::Kind::pass);
}

// The backend alone takes `alone` bytes for a block, a rank of the mesh `held`.
void give_memory(OracleLab& lab, Method method, int64_t alone, int64_t held) {
  lab.declared_method = method;
  lab.plant([=](const Request& request, Observation& observation) {
    for (RankResult& rank : observation.ranks) {
      if (request.watch) rank.peak_bytes = request.case_.impl == "local" ? alone : held;
    }
  });
}

TEST(Memory, OfARingBySendAndReceiveDoesNotGrowWithTheRing) {
  constexpr int64_t kKeys = 256, kQueries = 256, kRows = 32;
  constexpr int64_t kAllowed = 2 * kKeys + 2 * kKeys + 4 * (kQueries + kRows);
  for (const auto& [more, holds] : {std::pair{kAllowed, true}, std::pair{kAllowed + 1, false}}) {
    OracleLab lab;
    give_memory(lab, Method::ring, 1000, 1000 + more);
    const std::string text = std::string(kCase) + " rotate=p2p";
    EXPECT_EQ(judge("peak_memory_stays_within_shards", text, lab).failed(), !holds) << more;
  }
}

// Causality cuts a shard of two runs of tokens into blocks: there is the sum so far beside a
// block's own gradients.
TEST(Memory, OfAShardThatIsCutHasTheSumSoFar) {
  constexpr int64_t kKeys = 256, kQueries = 256, kRows = 32;
  constexpr int64_t kWhole = 2 * kKeys + 2 * kKeys + 4 * (kQueries + kRows);
  const auto holds = [](const std::string& words, int64_t more) {
    OracleLab lab;
    give_memory(lab, Method::ring, 1000, 1000 + more);
    const std::string text = "impl=subject mesh=3x1 q=6 h=2 d=4 rotate=p2p " + words;
    return !judge("peak_memory_stays_within_shards", text, lab).failed();
  };
  for (const char* whole : {"layout=zigzag", "causal=1", "causal=1 layout=striped"}) {
    EXPECT_TRUE(holds(whole, kWhole)) << whole;
    EXPECT_FALSE(holds(whole, kWhole + 1)) << whole;
  }
  for (const char* cut : {"causal=1 layout=zigzag", "window=4"}) {
    EXPECT_TRUE(holds(cut, kWhole + kKeys)) << cut;
  }
  EXPECT_FALSE(holds("causal=1 layout=zigzag", kWhole + kKeys + 1));
}

TEST(Memory, OfGatheredKeysIsTwiceAllKeysAndThriceTheirGradients) {
  constexpr int64_t kAllKeys = 3 * 256, kQueries = 256, kRows = 32;
  constexpr int64_t kAllowed = 2 * kAllKeys + 3 * kAllKeys + 4 * (kQueries + kRows);
  for (const auto& [more, holds] : {std::pair{kAllowed, true}, std::pair{kAllowed + 1, false}}) {
    OracleLab lab;
    give_memory(lab, Method::allgather_kv, 1000, 1000 + more);
    EXPECT_EQ(judge("peak_memory_stays_within_shards", kCase, lab).failed(), !holds) << more;
  }
}

TEST(Subgroups, AMeshInALargerWorldIsComparedWithTheMeshAlone) {
  OracleLab right;
  EXPECT_EQ(judge("subgroups_of_a_larger_world_work", kCase, right).kind, Verdict::Kind::pass);
  OracleLab wrong;
  wrong.add_when([](const Request& r) { return r.embedded; }, 1, "out", 1e-15);
  EXPECT_TRUE(judge("subgroups_of_a_larger_world_work", kCase, wrong).failed());
}

}  // namespace
}  // namespace attncheck
