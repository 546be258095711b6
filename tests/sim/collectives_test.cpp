#include <ATen/ops/cat.h>

#include "tests/sim/sim_testing.h"

namespace attncheck::sim::testing {
namespace {

const std::vector<at::ScalarType> kDtypes = {at::kDouble, at::kFloat, at::kBFloat16, at::kHalf,
                                             at::kLong,   at::kInt,   at::kBool,     at::kByte};

struct Setting {
  int world;
  std::vector<int> members;
};

std::ostream& operator<<(std::ostream& out, const Setting& setting) {
  out << setting.world << " ranks, group";
  for (int member : setting.members) out << ' ' << member;
  return out;
}

class Collectives : public ::testing::TestWithParam<Setting> {
 protected:
  // Calls `work` with the group, the position in it and its size, on every member, for every dtype.
  void on_members(const std::function<void(const Group&, int, int, at::ScalarType)>& work) {
    const std::vector<int>& members = GetParam().members;
    run_ranks(GetParam().world, [&](RankContext& context) {
      const auto found = std::find(members.begin(), members.end(), context.rank());
      if (found == members.end()) return;
      const Group group = context.group(members);
      const int me = static_cast<int>(found - members.begin());
      ASSERT_EQ(group->getRank(), me);
      ASSERT_EQ(group->getSize(), static_cast<int>(members.size()));
      for (at::ScalarType dtype : kDtypes) work(group, me, group->getSize(), dtype);
    });
  }
};

INSTANTIATE_TEST_SUITE_P(Groups, Collectives,
                         ::testing::Values(Setting{1, {0}}, Setting{2, {0, 1}},
                                           Setting{3, {0, 1, 2}}, Setting{4, {0, 1, 2, 3}},
                                           Setting{4, {1, 3}}, Setting{4, {3, 1}},
                                           Setting{4, {2, 0, 3}}, Setting{4, {2}}));

at::Tensor tagged_by_all(int size, int64_t count, at::ScalarType dtype) {
  Tensors parts;
  for (int rank = 0; rank < size; ++rank) parts.push_back(tagged(rank, count, dtype));
  return at::cat(parts);
}

TEST_P(Collectives, AllgatherGivesAllInGroupOrder) {
  on_members([](const Group& group, int me, int size, at::ScalarType dtype) {
    EXPECT_TRUE(same(all_gather(group, tagged(me, 3, dtype)), tagged_by_all(size, 3, dtype)));
  });
}

TEST_P(Collectives, AllgatherOfListsMayBeUneven) {
  on_members([](const Group& group, int me, int size, at::ScalarType dtype) {
    std::vector<Tensors> outputs(1);
    for (int from = 0; from < size; ++from) outputs[0].push_back(zeros(from + 1, dtype));
    Tensors inputs{tagged(me, me + 1, dtype)};
    group->allgather(outputs, inputs)->wait();
    for (int from = 0; from < size; ++from) {
      EXPECT_TRUE(same(outputs[0][from], tagged(from, from + 1, dtype)));
    }
  });
}

// As torch.empty_like of a transposed tensor has it.
TEST_P(Collectives, AllgatherOfListsFillsTransposedTensors) {
  on_members([](const Group& group, int me, int size, at::ScalarType dtype) {
    Tensors inputs{tagged(me, 6, dtype).view({2, 3})};
    std::vector<Tensors> outputs(1);
    for (int rank = 0; rank < size; ++rank) outputs[0].push_back(zeros(6, dtype).view({3, 2}).t());
    group->allgather(outputs, inputs)->wait();
    for (int rank = 0; rank < size; ++rank) {
      EXPECT_FALSE(outputs[0][rank].is_contiguous());
      EXPECT_TRUE(same(outputs[0][rank].contiguous(), tagged(rank, 6, dtype).view({2, 3})));
    }
  });
}

TEST(Collectives, OutputsWithGapsAndTransposedInputsAreRefused) {
  run_ranks(2, [](RankContext& context) {
    const Group group = context.group(everyone(2));
    const auto gathered = [&](at::Tensor input, const at::Tensor& output) {
      Tensors inputs{std::move(input)};
      std::vector<Tensors> outputs{{output, output.clone()}};
      group->allgather(outputs, inputs);
    };
    EXPECT_THROW(gathered(zeros(3), zeros(6).view({3, 2}).select(1, 0)), c10::Error);
    EXPECT_THROW(gathered(zeros(6).view({3, 2}).t(), zeros(6).view({2, 3})), c10::Error);
  });
}

TEST_P(Collectives, EvenAlltoallTransposesRanksAndParts) {
  on_members([](const Group& group, int me, int size, at::ScalarType dtype) {
    at::Tensor input = tagged(me, 2 * size, dtype).reshape({size, 2});
    at::Tensor output = zeros(2 * size, dtype).reshape({size, 2});
    std::vector<int64_t> none;
    group->alltoall_base(output, input, none, none)->wait();
    for (int from = 0; from < size; ++from) {
      EXPECT_TRUE(same(output[from], tagged(from, 2 * size, dtype).slice(0, 2 * me, 2 * me + 2)));
    }
  });
}

// Rank r sends r + p + 1 rows of 2 to rank p, so splits differ by rank and by peer.
TEST_P(Collectives, UnevenAlltoallFollowsTheSplits) {
  on_members([](const Group& group, int me, int size, at::ScalarType dtype) {
    std::vector<int64_t> splits;
    int64_t rows = 0;
    for (int peer = 0; peer < size; ++peer) rows += splits.emplace_back(me + peer + 1);
    at::Tensor input = tagged(me, 2 * rows, dtype).reshape({rows, 2});
    at::Tensor output = zeros(2 * rows, dtype).reshape({rows, 2});
    group->alltoall_base(output, input, splits, splits)->wait();
    Tensors expected;
    for (int from = 0; from < size; ++from) {
      int64_t before = 0, theirs = 0;
      for (int peer = 0; peer < size; ++peer) {
        if (peer < me) before += from + peer + 1;
        theirs += from + peer + 1;
      }
      expected.push_back(tagged(from, 2 * theirs, dtype)
                             .reshape({theirs, 2})
                             .slice(0, before, before + from + me + 1));
    }
    EXPECT_TRUE(same(output, at::cat(expected)));
  });
}

TEST_P(Collectives, AlltoallOfListsMayBeUneven) {
  on_members([](const Group& group, int me, int size, at::ScalarType dtype) {
    Tensors inputs, outputs;
    for (int peer = 0; peer < size; ++peer) {
      inputs.push_back(tagged(10 * me + peer, me + 2 * peer, dtype));
      outputs.push_back(zeros(peer + 2 * me, dtype));
    }
    group->alltoall(outputs, inputs)->wait();
    for (int from = 0; from < size; ++from) {
      EXPECT_TRUE(same(outputs[from], tagged(10 * from + me, from + 2 * me, dtype)));
    }
  });
}

// Small integers: exact in every dtype and order, for bool a logical or.
at::Tensor small(int rank, int64_t count, at::ScalarType dtype) {
  return (tagged(0, count) + (rank + 1)).to(dtype);
}

at::Tensor sum_of_small(int size, int64_t count, at::ScalarType dtype) {
  return (tagged(0, count) * size + size * (size + 1) / 2).to(dtype);
}

TEST_P(Collectives, AllreduceSums) {
  on_members([](const Group& group, int me, int size, at::ScalarType dtype) {
    EXPECT_TRUE(same(all_reduce(group, small(me, 3, dtype)), sum_of_small(size, 3, dtype)));
  });
}

TEST_P(Collectives, AllreduceTakesMaximumMinimumProductAndAverage) {
  on_members([](const Group& group, int me, int size, at::ScalarType dtype) {
    if (dtype == at::kBool) return;
    const at::Tensor mine = list({double(me + 1)}, dtype);
    double product = 1;
    for (int rank = 0; rank < size; ++rank) product *= rank + 1;
    using c10d::ReduceOp;
    EXPECT_TRUE(same(all_reduce(group, mine, ReduceOp::MAX), list({double(size)}, dtype)));
    EXPECT_TRUE(same(all_reduce(group, mine, ReduceOp::MIN), list({1}, dtype)));
    EXPECT_TRUE(same(all_reduce(group, mine, ReduceOp::PRODUCT), list({product}, dtype)));
    if (!at::isFloatingType(dtype)) return;
    EXPECT_TRUE(same(all_reduce(group, mine, ReduceOp::AVG), list({(size + 1) / 2.0}, dtype)));
  });
}

TEST_P(Collectives, ReduceScatterGivesEachItsPartOfTheSum) {
  on_members([](const Group& group, int me, int size, at::ScalarType dtype) {
    at::Tensor input = small(me, 2 * size, dtype);
    at::Tensor output = zeros(2, dtype);
    group->_reduce_scatter_base(output, input)->wait();
    EXPECT_TRUE(same(output, sum_of_small(size, 2 * size, dtype).slice(0, 2 * me, 2 * me + 2)));
  });
}

TEST_P(Collectives, ReduceScatterOfListsMayBeUneven) {
  on_members([](const Group& group, int me, int size, at::ScalarType dtype) {
    std::vector<Tensors> inputs(1);
    for (int peer = 0; peer < size; ++peer) inputs[0].push_back(small(me, peer + 1, dtype));
    Tensors outputs{zeros(me + 1, dtype)};
    group->reduce_scatter(outputs, inputs)->wait();
    EXPECT_TRUE(same(outputs[0], sum_of_small(size, me + 1, dtype)));
  });
}

TEST_P(Collectives, BroadcastGivesAllWhatTheRootHas) {
  on_members([](const Group& group, int me, int size, at::ScalarType dtype) {
    for (int root = 0; root < size; ++root) {
      Tensors tensors{tagged(me, 4, dtype)};
      c10d::BroadcastOptions options;
      options.rootRank = root;
      group->broadcast(tensors, options)->wait();
      EXPECT_TRUE(same(tensors[0], tagged(root, 4, dtype)));
    }
  });
}

TEST_P(Collectives, EmptyTensorsTravel) {
  on_members([](const Group& group, int, int, at::ScalarType dtype) {
    EXPECT_EQ(all_gather(group, zeros(0, dtype)).numel(), 0);
    EXPECT_EQ(all_reduce(group, zeros(0, dtype)).numel(), 0);
  });
}

TEST(Collectives, SumsOfHalfTypesRoundAtEveryStep) {
  run_ranks(3, [](RankContext& context) {
    const Group group = context.group(everyone(3));
    // 256 + 1 is 256 in bfloat16, twice; a wider accumulator would give 258.
    const at::Tensor mine = list({context.rank() == 0 ? 256.0 : 1.0}, at::kBFloat16);
    EXPECT_TRUE(same(all_reduce(group, mine), list({256}, at::kBFloat16)));
  });
}

TEST(Collectives, BarrierHoldsUntilAllHaveCome) {
  int arrived = 0;
  run_ranks(4, [&](RankContext& context) {
    ++arrived;
    context.group(everyone(4))->barrier()->wait();
    EXPECT_EQ(arrived, 4);
  });
}

TEST(Collectives, OutputIsWrittenByWaitAndInputTakenByPost) {
  run_ranks(2, [](RankContext& context) {
    const Group group = context.group({0, 1});
    at::Tensor input = tagged(context.rank(), 2), output = zeros(4);
    const auto work = group->_allgather_base(output, input);
    input.fill_(-1);
    group->barrier()->wait();  // by now both have posted
    EXPECT_TRUE(output.isnan().all().item<bool>());
    work->wait();
    EXPECT_TRUE(same(output, list({0, 1, 100, 101})));
    output.fill_(7);
    work->wait();  // a second wait does nothing
    EXPECT_TRUE(same(output, list({7, 7, 7, 7})));
  });
}

TEST(Collectives, ManyInFlightMayBeWaitedForInAnyOrder) {
  run_ranks(3, [](RankContext& context) {
    const Group group = context.group(everyone(3));
    constexpr int kCount = 20;
    Tensors inputs, outputs;
    std::vector<c10::intrusive_ptr<c10d::Work>> works;
    for (int i = 0; i < kCount; ++i) {
      inputs.push_back(tagged(10 * i + context.rank(), 2));
      outputs.push_back(zeros(6));
      works.push_back(group->_allgather_base(outputs[i], inputs[i]));
    }
    for (int i = kCount - 1; i >= 0; --i) {
      works[i]->wait();
      const Tensors expected{tagged(10 * i, 2), tagged(10 * i + 1, 2), tagged(10 * i + 2, 2)};
      EXPECT_TRUE(same(outputs[i], at::cat(expected)));
    }
  });
}

TEST(Collectives, PollingGivesTheTurnAwayAndDelivers) {
  run_ranks(3, [](RankContext& context) {
    at::Tensor input = tagged(context.rank(), 1), output = zeros(3);
    const auto work = context.group(everyone(3))->_allgather_base(output, input);
    while (!work->isCompleted()) {
    }
    EXPECT_TRUE(work->isSuccess());
    EXPECT_TRUE(same(output, list({0, 100, 200})));
  });
}

}  // namespace
}  // namespace attncheck::sim::testing
