#include <gtest/gtest.h>

#include "tests/properties/oracle_lab.h"

namespace attncheck {
namespace {

constexpr const char* kAssociative = "merge_is_associative";

TEST(Merges, ThatAreRightPass) {
  for (const char* words : {"b=2 q=3 kv=3 h=2 d=4", "q=2 kv=4 d=3 dtype=f32", "q=2 kv=5 d=2",
                            "q=2 kv=1 d=1", "q=3 kv=3 d=2 dtype=bf16"}) {
    OracleLab lab;
    const std::string text = std::string("impl=merge:any mesh=1x1 seed=3 ") + words;
    EXPECT_EQ(judge(kAssociative, text, lab).kind, Verdict::Kind::pass) << words;
  }
}

TEST(Merges, ThatAreWrongAreNamedByTheirTree) {
  constexpr const char* kCase = "impl=merge:any mesh=1x1 b=2 q=3 kv=3 h=2 d=4 seed=3";
  OracleLab lab;
  lab.plant([](const Request&, Observation& observation) {
    tensor_of(observation, 0, "out")[5][1][0][2].add_(1e-3);
  });
  const Verdict verdict = judge(kAssociative, kCase, lab);
  ASSERT_TRUE(verdict.failed());
  EXPECT_EQ(verdict.evidence->index, (std::vector<int64_t>{1, 1, 0, 2}));
  EXPECT_NE(verdict.evidence->message.find("out of ("), std::string::npos);
  EXPECT_GT(verdict.evidence->bound, 0);
}

TEST(Merges, MustKeepEmptyRowsEmpty) {
  // Of a single partial a quarter of the rows is empty.
  constexpr const char* kCase = "impl=merge:any mesh=1x1 q=32 kv=1 h=2 d=1 seed=3";
  OracleLab lab;
  lab.plant([](const Request&, Observation& observation) {
    at::Tensor& lse = tensor_of(observation, 0, "lse");
    lse.clamp_min_(-1e30);
  });
  EXPECT_TRUE(judge(kAssociative, kCase, lab).failed());
}

TEST(Merges, AreNotRunAfterAnError) {
  OracleLab lab;
  lab.fail(0, Phase::forward, "boom");
  EXPECT_EQ(judge(kAssociative, "impl=merge:any mesh=1x1 q=2 kv=3 d=2", lab).kind,
            Verdict::Kind::not_run);
}

}  // namespace
}  // namespace attncheck
