#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>
#include <gtest/gtest.h>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "sim/world.h"

namespace attncheck::sim::testing {

using Group = c10::intrusive_ptr<c10d::ProcessGroup>;
using Tensors = std::vector<at::Tensor>;
using Errors = std::vector<std::optional<std::string>>;
using Lines = std::vector<std::string>;
// Of RunOptions: every send in the tests fits.
constexpr RunOptions kBuffered{.send_buffer = 1 << 20};
using Work = std::function<void(RankContext&)>;

// `count` values that tell where they come from: 100 * rank + 0, 1, 2, ...
at::Tensor tagged(int rank, int64_t count, at::ScalarType dtype = at::kDouble);
at::Tensor zeros(int64_t count, at::ScalarType dtype = at::kDouble);
at::Tensor list(std::vector<double> values, at::ScalarType dtype = at::kDouble);

// Same dtype and values, bit for bit.
::testing::AssertionResult same(const at::Tensor& got, const at::Tensor& expected);

// 0, 1, ..., size - 1.
std::vector<int> everyone(int size);

// Runs `work` on a world of its own and expects that no rank throws.
void run_ranks(int size, const Work& work, const RunOptions& options = {});
void expect_no_errors(const Errors& errors);

// The exchange, waited for. `send` before `receive` on both sides needs kBuffered.
at::Tensor all_gather(const Group& group, at::Tensor input);
at::Tensor all_reduce(const Group& group, at::Tensor input,
                      c10d::ReduceOp::RedOpType op = c10d::ReduceOp::SUM);
void send(const Group& group, at::Tensor what, int to, int tag = 0);
at::Tensor receive(const Group& group, at::Tensor like, int from, int tag = 0);

// What a rank threw.
std::string text(const Errors& errors, int rank);

// What the last run of the world found, by rank: "unwaited at 1 of barrier #2 of group [0,1]: ...".
Lines findings(const World& world);

// Every group of the world still does what it should.
void expect_usable(World& world);

}  // namespace attncheck::sim::testing
