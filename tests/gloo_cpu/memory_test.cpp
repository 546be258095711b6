#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "gloo_cpu/process_memory.h"
#include "gloo_cpu/rank_set.h"
#include "gloo_cpu/shared_word.h"
#include "tests/gloo_cpu/test_support.h"

namespace attncheck::gloo_cpu {
namespace {

constexpr int64_t kMebi = int64_t{1} << 20;
using Outcome = RankReply::Outcome;

TEST(ProcessMemory, GrowsByWhatIsWrittenTo) {
  const int64_t before = memory_of(::getpid());
  EXPECT_GT(before, 0);
  std::vector<char> written(static_cast<size_t>(64 * kMebi), 'x');
  EXPECT_GT(memory_of(::getpid()), before + 60 * kMebi);
  EXPECT_GT(machine_memory(), memory_of(::getpid()));
}

TEST(ProcessMemory, OfAProcessThatIsGoneIsNone) {
  EXPECT_EQ(memory_of(1 << 30), 0);
}

TEST(RankMemory, ThatGrowsForEverEndsTheRankAndSaysHowMuchItHeld) {
  RankSetOptions options = options_for(2);
  options.memory = 700 * kMebi;
  RankSet ranks(options);
  const auto replies = ranks.run("hoard 1");
  EXPECT_EQ(replies[1].outcome, Outcome::outgrown) << describe(replies[1], 1);
  EXPECT_NE(describe(replies[1], 1).find("rank 1 was ended here, since it held too much memory"),
            std::string::npos)
      << describe(replies[1], 1);
  EXPECT_NE(replies[1].detail.find("of 0.68 GiB"), std::string::npos) << replies[1].detail;
  EXPECT_EQ(replies[0].bytes, "content");
  EXPECT_FALSE(ranks.usable());
}

TEST(RankMemory, OfWhatARankPrintsCountsAsWell) {
  RankSetOptions options = options_for(1);
  options.memory = 700 * kMebi;
  EXPECT_EQ(RankSet(options).run("babble").front().outcome, Outcome::outgrown);
}

// It is looked at once a second, at the end of a request.
TEST(RankMemory, ThatStaysEndsTheUseOfTheSet) {
  RankSetOptions options = options_for(1);
  options.memory = 300 * kMebi;
  RankSet ranks(options);
  ranks.run("echo");
  EXPECT_TRUE(ranks.usable());
  ranks.run("keep 400");
  for (int i = 0; i < 100 && ranks.usable(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    ranks.run("echo");
  }
  EXPECT_FALSE(ranks.usable());
}

TEST(SharedWord, OfARankIsReadAfterItsEnd) {
  SharedWord word;
  RankSetOptions options = options_for(1);
  options.shared_word = word.descriptor();
  const auto replies = RankSet(options).run("write " + std::to_string(word.descriptor()));
  EXPECT_EQ(replies[0].outcome, Outcome::signalled) << describe(replies[0], 0);
  EXPECT_EQ(word.value(), 42);
}

}  // namespace
}  // namespace attncheck::gloo_cpu
