#include "tests/sim/sim_testing.h"

#include <numeric>

#include <ATen/ops/arange.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

namespace attncheck::sim::testing {

at::Tensor tagged(int rank, int64_t count, at::ScalarType dtype) {
  return at::arange(100 * rank, 100 * rank + count, at::kDouble).to(dtype);
}

at::Tensor zeros(int64_t count, at::ScalarType dtype) {
  return at::zeros({count}, dtype);
}

at::Tensor list(std::vector<double> values, at::ScalarType dtype) {
  return at::tensor(values, at::kDouble).to(dtype);
}

::testing::AssertionResult same(const at::Tensor& got, const at::Tensor& expected) {
  if (got.scalar_type() == expected.scalar_type() && at::equal(got, expected)) {
    return ::testing::AssertionSuccess();
  }
  return ::testing::AssertionFailure() << "got\n" << got << "\nexpected\n" << expected;
}

std::vector<int> everyone(int size) {
  std::vector<int> ranks(size);
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

void run_ranks(int size, const Work& work, const RunOptions& options) {
  expect_no_errors(World(size).run(work, options));
}

void expect_no_errors(const Errors& errors) {
  for (size_t rank = 0; rank < errors.size(); ++rank) {
    EXPECT_FALSE(errors[rank].has_value()) << "rank " << rank << ": " << errors[rank].value_or("");
  }
}

at::Tensor all_gather(const Group& group, at::Tensor input) {
  at::Tensor output = zeros(input.numel() * group->getSize(), input.scalar_type());
  group->_allgather_base(output, input)->wait();
  return output;
}

at::Tensor all_reduce(const Group& group, at::Tensor input, c10d::ReduceOp::RedOpType op) {
  Tensors tensors{input.clone()};
  c10d::AllreduceOptions options;
  options.reduceOp = op;
  group->allreduce(tensors, options)->wait();
  return tensors[0];
}

void send(const Group& group, at::Tensor what, int to, int tag) {
  Tensors tensors{what};
  group->send(tensors, to, tag)->wait();
}

at::Tensor receive(const Group& group, at::Tensor like, int from, int tag) {
  Tensors tensors{at::empty_like(like)};
  group->recv(tensors, from, tag)->wait();
  return tensors[0];
}

std::string text(const Errors& errors, int rank) {
  return errors[rank].value_or("rank " + std::to_string(rank) + " threw nothing");
}

Lines findings(const World& world) {
  Lines lines;
  for (const RankTrace& trace : world.trace()) {
    for (const Finding& one : trace.findings) {
      lines.push_back(std::string(name_of(one.kind)) + " at " + std::to_string(one.rank) + " of " +
                      one.operation + ": " + one.text);
    }
  }
  return lines;
}

void expect_usable(World& world) {
  const int size = world.size();
  expect_no_errors(world.run(
      [&](RankContext& context) {
        const Group group = context.group(everyone(size));
        EXPECT_TRUE(same(all_reduce(group, list({1})), list({double(size)})));
        const int next = (context.rank() + 1) % size, previous = (context.rank() + size - 1) % size;
        if (size == 1) return;
        send(group, list({double(context.rank())}), next);
        EXPECT_TRUE(same(receive(group, zeros(1), previous), list({double(previous)})));
      },
      kBuffered));
}

}  // namespace attncheck::sim::testing
