#include "tests/sim/sim_testing.h"

namespace attncheck::sim::testing {
namespace {

TEST(Messages, ArriveByTagWhateverTheOrder) {
  run_ranks(
      2,
      [](RankContext& context) {
        const Group group = context.group({0, 1});
        if (context.rank() == 0) {
          send(group, list({1}), 1, /*tag=*/1);
          send(group, list({2}), 1, /*tag=*/2);
        } else {
          EXPECT_TRUE(same(receive(group, zeros(1), 0, /*tag=*/2), list({2})));
          EXPECT_TRUE(same(receive(group, zeros(1), 0, /*tag=*/1), list({1})));
        }
      },
      kBuffered);
}

TEST(Messages, OfOneRouteKeepTheirOrder) {
  run_ranks(2, [](RankContext& context) {
    const Group group = context.group({0, 1});
    Tensors first{zeros(1)}, second{zeros(1)};
    if (context.rank() == 0) {
      send(group, list({1}), 1);
      send(group, list({2}), 1);
    } else {
      const auto work = group->recv(first, 0, 0);
      group->recv(second, 0, 0)->wait();
      EXPECT_TRUE(same(second[0], list({2})));
      EXPECT_TRUE(first[0].isnan().item<bool>());  // not waited for yet
      work->wait();
      EXPECT_TRUE(same(first[0], list({1})));
    }
  });
}

TEST(Messages, CopyWhatWasSentAtThatTime) {
  run_ranks(2, [](RankContext& context) {
    const Group group = context.group({1, 0});  // reversed: rank 1 is member 0
    if (context.rank() == 1) {
      at::Tensor data = list({5, 6});
      send(group, data, /*to=*/1);
      data.fill_(-1);
    } else {
      EXPECT_TRUE(same(receive(group, zeros(2), /*from=*/0), list({5, 6})));
    }
  });
}

TEST(Messages, OfEveryDtypeArriveBitwise) {
  run_ranks(2, [](RankContext& context) {
    const Group group = context.group({0, 1});
    for (at::ScalarType dtype : {at::kDouble, at::kFloat, at::kHalf, at::kBFloat16, at::kLong,
                                 at::kBool, at::kFloat8_e4m3fn, at::kComplexDouble}) {
      const at::Tensor data = list({0, 1, -2}).to(dtype);
      if (context.rank() == 0) send(group, data, 1);
      if (context.rank() == 1) {
        const at::Tensor got = receive(group, data, 0);
        EXPECT_TRUE(same(got.view(at::kByte), data.view(at::kByte)));
      }
    }
  });
}

// Everybody sends before anybody receives.
TEST(Messages, PassRoundARingOf64) {
  constexpr int kSize = 64;
  run_ranks(
      kSize,
      [](RankContext& context) {
        const Group group = context.group(everyone(kSize));
        const int next = (context.rank() + 1) % kSize,
                  previous = (context.rank() + kSize - 1) % kSize;
        at::Tensor held = tagged(context.rank(), 4);
        for (int step = 1; step < kSize; ++step) {
          send(group, held, next);
          held = receive(group, held, previous);
          ASSERT_TRUE(same(held, tagged((context.rank() + kSize - step) % kSize, 4)));
        }
      },
      kBuffered);
}

}  // namespace
}  // namespace attncheck::sim::testing
