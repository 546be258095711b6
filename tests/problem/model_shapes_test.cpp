#include "problem/model_shapes.h"

#include <gtest/gtest.h>

namespace attncheck {
namespace {

TEST(ModelShapes, HaveHeadsThatGroup) {
  for (const ModelShape& shape : model_shapes()) {
    EXPECT_EQ(shape.problem.heads % shape.problem.kv_heads, 0) << shape.name;
    EXPECT_EQ(model_shape(shape.name).what, shape.what);
  }
  EXPECT_EQ(model_shape_names().size(), model_shapes().size());
  EXPECT_THROW(model_shape("flix"), std::out_of_range);
}

TEST(ModelShapes, AreScaledToAMultipleOfTheUnit) {
  const Problem flux = model_shape("flux").problem;
  EXPECT_EQ(scaled(flux, 1.0, 1).q_len, 4608);
  EXPECT_EQ(scaled(flux, 0.25, 6).q_len, 1152);
  EXPECT_EQ(scaled(flux, 0.25, 10).kv_len, 1150);
  EXPECT_EQ(scaled(flux, 1e-9, 8).q_len, 8);
  EXPECT_EQ(scaled(flux, 0.25, 6).heads, 24);
}

}  // namespace
}  // namespace attncheck
