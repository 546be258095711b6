#include "harness/timing/timing_request.h"

#include <stdexcept>

#include <gtest/gtest.h>

#include "problem/case_text.h"

namespace attncheck::timing {
namespace {

TEST(TimingRequest, ReadsWhatItWrites) {
  TimingRequest request{{parse_case("impl=local mesh=1x1 q=8 d=4"),
                         parse_case("impl=ring mesh=2x1 q=8 d=4 rotate=p2p")},
                        all_exchanges()};
  const TimingRequest read = parse_timing_request(to_text(request));
  EXPECT_EQ(read.passes, request.passes);
  EXPECT_EQ(read.exchanges, request.exchanges);
  EXPECT_TRUE(to_text(request).starts_with(std::string(kTimingWord) + " "));
}

TEST(TimingRequest, OtherTextIsRefused) {
  for (const char* text :
       {"time\n", "time 3\n", "time pass impl=ring\n", "time exchange broadcast\n",
        "pass impl=ring mesh=1x1 q=1 d=1\n", "impl=ring mesh=1x1 q=1 d=1\n"}) {
    EXPECT_THROW(parse_timing_request(text), std::invalid_argument) << text;
  }
}

TEST(RankTimes, CrossAProcessBorder) {
  const RankTimes times{{{{0.25, 0.5}, {1, 2}, ""}, {{}, {}, "has no p2p"}}, "bad byte \xff"};
  const RankTimes read = rank_times_from_bytes(to_bytes(times));
  ASSERT_EQ(read.laps.size(), 2u);
  EXPECT_EQ(read.laps[0].forward, times.laps[0].forward);
  EXPECT_EQ(read.laps[0].backward, times.laps[0].backward);
  EXPECT_TRUE(read.laps[1].forward.empty());
  EXPECT_TRUE(read.error.starts_with("bad byte"));
  EXPECT_THROW(rank_times_from_bytes("{}"), std::invalid_argument);
  EXPECT_THROW(rank_times_from_bytes("no"), std::invalid_argument);
}

TEST(ExchangedElements, AreAShardOfKeysThatTheRanksCanCut) {
  const Problem even = parse_case("impl=ring mesh=4x1 q=16 h=4 hkv=2 d=8").problem;
  EXPECT_EQ(exchanged_elements(even, 4), 4 * 2 * 8);
  const Problem odd = parse_case("impl=ring mesh=3x1 q=3 h=1 d=7").problem;
  EXPECT_EQ(exchanged_elements(odd, 3), 9);
}

}  // namespace
}  // namespace attncheck::timing
