#include "harness/contracts/probe.h"

#include <ATen/Context.h>
#include <gtest/gtest.h>

#include "harness/contracts/operator_call.h"

namespace attncheck {
namespace {

using reference::find_contract;
using reference::KernelContract;
using reference::pinned_contracts;

const KernelContract& row_of(const std::string& op) {
  return *find_contract(pinned_contracts(), op, {2, 11});
}

TEST(Probe, DescribesWhatFlashForCpuReturns) {
  const ProbeResult result = probe(row_of("_scaled_dot_product_flash_attention_for_cpu"));
  ASSERT_EQ(result.runs.size(), 2u) << result.not_run;
  const TensorForm& lse = *result.runs[0].returns.at(1);
  EXPECT_EQ(result.runs[0].q_dtype, "float64");
  EXPECT_EQ(shape_words(lse.sizes), "B H S");
  EXPECT_EQ(lse.dtype, "float64");
  EXPECT_EQ(lse.empty_rows, "0");
  EXPECT_EQ(result.runs[1].returns.at(1)->dtype, "float32");
}

TEST(Probe, RunsABackwardAfterItsForward) {
  const ProbeResult result = probe(row_of("_scaled_dot_product_flash_attention_for_cpu_backward"));
  ASSERT_EQ(result.runs.size(), 2u) << result.not_run;
  EXPECT_EQ(shape_words(result.runs[0].returns.at(1)->sizes), "B H K D");
}

TEST(Probe, SaysWhyItDidNotRun) {
  if (!at::hasCUDA()) {
    EXPECT_EQ(probe(row_of("_scaled_dot_product_cudnn_attention")).not_run, "no CUDA device");
  }
  KernelContract unknown = row_of("_scaled_dot_product_attention_math");
  unknown.op = "_no_such_operator";
  EXPECT_EQ(probe(unknown).not_run.find("it threw: "), 0u);
}

TEST(TensorForm, SaysHowATensorLiesInMemory) {
  EXPECT_EQ(memory_words({{2, 4, 40}, {160, 40, 1}, "", ""}), "as_shaped");
  EXPECT_EQ(memory_words({{2, 4, 40}, {160, 1, 4}, "", ""}), "sequence_first");
  EXPECT_EQ(memory_words({{2, 4, 40, 16}, {2560, 16, 64, 1}, "", ""}), "sequence_first");
  EXPECT_EQ(memory_words({{2, 4, 40, 1}, {160, 40, 1, 1}, "", ""}), "as_shaped");
  EXPECT_EQ(memory_words({{2, 4}, {1, 2}, "", ""}), "strides 1 2");
  EXPECT_EQ(shape_words({2, 64, 7}), "B S32 7");
}

TEST(OperatorCall, TakesTheDispatchersWords) {
  const KernelContract& row = row_of("_scaled_dot_product_cudnn_attention_backward");
  EXPECT_EQ(dispatcher_schema(row.op), in_dispatchers_words(row.op, row.schema));
  EXPECT_FALSE(dispatcher_schema("_no_such_operator"));
  EXPECT_THROW(in_dispatchers_words("op", "nothing"), std::invalid_argument);
}

}  // namespace
}  // namespace attncheck
