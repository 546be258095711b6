#include "properties/inputs.h"

#include <set>
#include <tuple>

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/sum.h>
#include <gtest/gtest.h>

#include "problem/case_text.h"
#include "properties/token_positions.h"

namespace attncheck {
namespace {

Request request_of(const std::string& text) {
  return base_request(parse_case(text));
}

TEST(Inputs, ShardsAreSlicesOfTheWhole) {
  const Request request =
      request_of("impl=x mesh=3x1 b=2 q=6 kv=9 h=4 hkv=2 d=5 dv=3 dtype=f32 seed=9 dlse=1");
  const InputTensors whole = global_inputs(request);
  std::vector<at::Tensor> q, k, dout, dlse;
  for (int rank = 0; rank < 3; ++rank) {
    const InputTensors shard = rank_inputs(request, rank);
    q.push_back(shard.q);
    k.push_back(shard.k);
    dout.push_back(shard.dout);
    dlse.push_back(shard.dlse);
  }
  EXPECT_TRUE(at::equal(at::cat(q, 1), whole.q));
  EXPECT_TRUE(at::equal(at::cat(k, 1), whole.k));
  EXPECT_TRUE(at::equal(at::cat(dout, 1), whole.dout));
  EXPECT_TRUE(at::equal(at::cat(dlse, 1), whole.dlse));
  EXPECT_EQ(whole.q.sizes(), (at::IntArrayRef{2, 6, 4, 5}));
  EXPECT_EQ(whole.v.sizes(), (at::IntArrayRef{2, 9, 2, 3}));
  EXPECT_EQ(whole.q.scalar_type(), at::kFloat);
}

TEST(Inputs, ASmallerCaseKeepsTheValuesThatRemain) {
  const InputTensors large = global_inputs(request_of("impl=x mesh=1x1 b=2 q=6 h=4 d=5 seed=9"));
  const InputTensors small = global_inputs(request_of("impl=x mesh=1x1 b=1 q=3 h=2 d=4 seed=9"));
  EXPECT_TRUE(
      at::equal(small.q, large.q.narrow(0, 0, 1).narrow(1, 0, 3).narrow(2, 0, 2).narrow(3, 0, 4)));
}

TEST(Inputs, NormalDataHasTheMomentsOfANormal) {
  const at::Tensor q = global_inputs(request_of("impl=x mesh=1x1 b=4 q=64 h=8 d=16 seed=1")).q;
  EXPECT_NEAR(q.mean().item<double>(), 0, 0.03);
  EXPECT_NEAR(q.std().item<double>(), 1, 0.03);
}

TEST(Inputs, LargeDataReachesScoresOfAThousand) {
  const Request request = request_of("impl=x mesh=1x1 q=64 h=4 d=8 data=large seed=2");
  const InputTensors inputs = global_inputs(request);
  const at::Tensor scores = at::matmul(inputs.q.transpose(1, 2), inputs.k.permute({0, 2, 3, 1})) *
                            effective_scale(request.case_.problem);
  const double largest = scores.abs().max().item<double>();
  EXPECT_GT(largest, 800);
  EXPECT_LT(largest, 5000);
}

// Where exp takes them for nothing: below -104 in float32, below -746 in float64.
TEST(Inputs, LowDataPutsTheLogSumExpFarBelowZeroWhateverTheScale) {
  for (const auto& [dtype, mean, most] :
       {std::tuple(" dtype=f64", -1000, -750), {" dtype=f32", -200, -110}}) {
    for (const char* scale : {"", " scale=1", " scale=-0.5", " scale=0.125"}) {
      const Request request =
          request_of(std::string("impl=x mesh=1x1 q=32 h=4 d=8 data=low seed=2") + dtype + scale);
      const InputTensors in = global_inputs(request);
      const at::Tensor scores = at::matmul(in.q.transpose(1, 2), in.k.permute({0, 2, 3, 1})) *
                                effective_scale(request.case_.problem);
      EXPECT_LT(scores.max().item<double>(), most) << dtype << scale;
      EXPECT_NEAR(scores.mean().item<double>(), mean, 10) << dtype << scale;
    }
  }
}

TEST(Inputs, SelectedKeyWinsByMoreThanTheRangeOfExp) {
  for (const char* text :
       {"impl=x mesh=1x1 b=2 q=9 kv=7 h=4 hkv=2 d=3 causal=1 data=selector seed=5",
        "impl=x mesh=1x1 b=2 q=9 h=2 d=1 data=selector seed=5 scale=-0.3"}) {
    const Request request = request_of(text);
    const Case& c = request.case_;
    const InputTensors in = global_inputs(request);
    for (int64_t b = 0; b < c.problem.batch; ++b)
      for (int64_t i = 0; i < c.problem.q_len; ++i)
        for (int64_t h = 0; h < c.problem.heads; ++h) {
          const int64_t selected = selected_key(c, b, i, h);
          const int64_t kv_head = h / (c.problem.heads / c.problem.kv_heads);
          const auto score = [&](int64_t j) {
            return effective_scale(c.problem) *
                   (in.q[b][i][h] * in.k[b][j][kv_head]).sum().item<double>();
          };
          const int64_t visible =
              c.problem.causal ? std::min(i + 1, c.problem.kv_len) : c.problem.kv_len;
          ASSERT_LT(selected, visible);
          for (int64_t j = 0; j < visible; ++j) {
            if (j == selected) continue;
            EXPECT_GT(score(selected) - score(j), 745) << text << " query " << i;
          }
        }
  }
}

TEST(Inputs, GridCotangentsMixExactlyInBfloat16) {
  Request request = request_of("impl=x mesh=1x1 q=8 h=2 d=4 dtype=bf16 seed=3");
  const auto dout = [&](Cotangent::Kind kind) {
    request.dout.kind = kind;
    return global_inputs(request).dout.to(at::kDouble);
  };
  const at::Tensor a = dout(Cotangent::Kind::grid_a), b = dout(Cotangent::Kind::grid_b);
  EXPECT_TRUE(at::equal(dout(Cotangent::Kind::grid_mixed), 2 * a + b));
  EXPECT_FALSE(at::equal(a, b));
}

TEST(Inputs, OneRankCotangentIsZeroElsewhere) {
  Request request = request_of("impl=x mesh=3x1 q=6 h=2 d=4 seed=3");
  request.dout = {Cotangent::Kind::one_rank, 1};
  const at::Tensor dout = global_inputs(request).dout;
  EXPECT_EQ(dout.narrow(1, 0, 2).abs().max().item<double>(), 0);
  EXPECT_GT(dout.narrow(1, 2, 2).abs().min().item<double>(), 0);
  EXPECT_EQ(dout.narrow(1, 4, 2).abs().max().item<double>(), 0);
}

TEST(Inputs, IdentityValuesShowEveryKeyInOneColumn) {
  Request request = request_of("impl=x mesh=1x1 b=2 q=5 h=1 d=3 dv=2 seed=3");
  request.value = ValueEdit::identity;
  const InputTensors inputs = global_inputs(request);
  EXPECT_EQ(inputs.v.size(0), 6);
  EXPECT_EQ(inputs.v.sum().item<double>(), 10);  // 5 keys in each of 2 batches
  EXPECT_EQ(inputs.v[2 * 2 + 1][4][0][0].item<double>(),
            1);  // key 4 is column 0 of the third block
  EXPECT_TRUE(at::equal(inputs.q.narrow(0, 0, 2), inputs.q.narrow(0, 4, 2)));
}

TEST(Inputs, ViewsHaveTheirStridesAndTheSameValues) {
  const at::Tensor plain = global_inputs(request_of("impl=x mesh=1x1 b=2 q=4 h=3 d=5 seed=3")).q;
  const at::Tensor offset =
      global_inputs(request_of("impl=x mesh=1x1 b=2 q=4 h=3 d=5 seed=3 view=offset")).q;
  const at::Tensor permuted =
      global_inputs(request_of("impl=x mesh=1x1 b=2 q=4 h=3 d=5 seed=3 view=permuted")).q;
  const at::Tensor expanded =
      global_inputs(request_of("impl=x mesh=1x1 b=2 q=4 h=3 d=5 seed=3 view=expanded")).q;
  EXPECT_EQ(offset.storage_offset(), 3);
  EXPECT_TRUE(at::equal(offset, plain));
  EXPECT_FALSE(permuted.is_contiguous());
  EXPECT_TRUE(at::equal(permuted, plain));
  EXPECT_EQ(expanded.stride(0), 0);
  EXPECT_TRUE(at::equal(expanded[1], plain[0]));
}

TEST(Inputs, TagsTellEveryPlaceApart) {
  const std::array<int64_t, 4> shape{2, 3, 2, 4};
  const Request request = request_of("impl=x mesh=2x1 q=6 d=4 data=tagged seed=1");
  std::set<double> seen;
  for (int rank = 0; rank < 2; ++rank) {
    const at::Tensor x = collective_input(request, rank, shape).contiguous();
    for (int64_t i = 0; i < x.numel(); ++i)
      EXPECT_TRUE(seen.insert(x.data_ptr<double>()[i]).second);
    EXPECT_EQ(x[1][2][0][3].item<double>(), tag(rank, {1, 2, 0, 3}, shape));
  }
}

TEST(Inputs, CotangentsOfJointQueriesAddUpOverTheRanks) {
  const Case c =
      parse_case("impl=ring mesh=3x1 q=10 d=2 joint=front:4 dlse=1 seed=3 view=expanded b=2");
  const Request request = base_request(c);
  const InputTensors whole = global_inputs(request);
  at::Tensor dout, dlse;
  for (int rank = 0; rank < 3; ++rank) {
    const InputTensors own = rank_inputs(request, rank);
    EXPECT_TRUE(own.q.narrow(1, 0, 4).equal(whole.q.narrow(1, 0, 4)));
    const at::Tensor out = own.dout.narrow(1, 0, 4), lse = own.dlse.narrow(1, 0, 4);
    dout = rank == 0 ? out : dout + out;
    dlse = rank == 0 ? lse : dlse + lse;
  }
  EXPECT_TRUE(dout.equal(whole.dout.narrow(1, 0, 4)));
  EXPECT_TRUE(dlse.equal(whole.dlse.narrow(1, 0, 4)));
}

}  // namespace
}  // namespace attncheck
