#include "properties/kernel_return.h"

#include <stdexcept>

#include <ATen/core/ivalue.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

namespace attncheck {
namespace {

TEST(KernelReturn, TellsTensorsApartFromOthersAndFromNone) {
  const at::Tensor x = at::zeros({2, 3, 4}, at::kFloat).transpose(1, 2);
  const auto values = described({x, at::Tensor(), int64_t{8}, c10::IValue()});
  ASSERT_EQ(values.size(), 4u);
  EXPECT_EQ(values[0], (ReturnedValue{"Tensor", "Float", "Strided", {2, 4, 3}, {12, 1, 4}}));
  EXPECT_EQ(values[1].type, "undefined");
  EXPECT_EQ(values[2].type, "Int");
  EXPECT_EQ(values[3].type, "None");
}

TEST(KernelReturn, ReadsBack) {
  const auto values =
      described({at::zeros({2, 3}), at::Tensor(), int64_t{8}, at::zeros({}), at::zeros({0, 2})});
  EXPECT_EQ(parse_returned(to_text(values)), values) << to_text(values);
  EXPECT_TRUE(parse_returned("").empty());
}

TEST(KernelReturn, RefusesATensorWithoutSizes) {
  EXPECT_THROW(parse_returned("Tensor Float Strided"), std::invalid_argument);
}

}  // namespace
}  // namespace attncheck
