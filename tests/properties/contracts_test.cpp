#include <cmath>

#include <ATen/ops/full.h>
#include <gtest/gtest.h>

#include "tests/properties/oracle_lab.h"

namespace attncheck {
namespace {

constexpr const char* kCase = "impl=ring mesh=2x1 q=4 kv=6 h=2 d=3 seed=1";

TEST(LseShape, SeesATrailingAxis) {
  OracleLab lab;
  lab.plant([](const Request&, Observation& observation) {
    at::Tensor& lse = tensor_of(observation, observation.ranks.size() - 1, "lse");
    lse = lse.unsqueeze(-1);
  });
  const Verdict verdict = judge("lse_has_declared_shape", kCase, lab);
  ASSERT_TRUE(verdict.failed());
  EXPECT_EQ(verdict.evidence->rank, 1);
  EXPECT_EQ(verdict.evidence->expected, "(1, 2, 2)");
  EXPECT_EQ(verdict.evidence->got, "(1, 2, 2, 1)");
}

TEST(LseShape, HoldsTheBackendToItsContract) {
  OracleLab lab;
  lab.backend_contract.lse_shape = LseShape::BHS1;
  const Verdict verdict = judge("lse_has_declared_shape", kCase, lab);
  ASSERT_TRUE(verdict.failed());
  EXPECT_EQ(verdict.evidence->tensor, "raw_lse");
  EXPECT_EQ(verdict.evidence->expected, "(1, 2, 4, 1)");
  EXPECT_EQ(verdict.evidence->got, "(1, 4, 2)");
}

constexpr const char* kReturn = "kernel_return_matches_schema";
constexpr const char* kLocal = "impl=local mesh=1x1 q=4 kv=6 h=2 d=3 seed=1";

// What the property says of a kernel that returned this.
Verdict said_of_return(const std::string& returned, const BackendContract& contract,
                       const std::string& aux = "0") {
  OracleLab lab;
  lab.backend_contract = contract;
  lab.plant([=](const Request&, Observation& observation) {
    observation.ranks.front().facts = {{"kernel_return", returned}, {"kernel_aux", aux}};
  });
  return judge(kReturn, kLocal, lab);
}

BackendContract flash_like() {
  BackendContract contract;
  contract.op = "aten::_scaled_dot_product_flash_attention_for_cpu";
  contract.layout = KernelLayout::BHSD;
  contract.out_memory = MemoryOrder::sequence_first;
  contract.lse_shape = LseShape::BHS;
  contract.lse_memory = MemoryOrder::sequence_first;
  return contract;
}

constexpr const char* kRight =
    "Tensor Double Strided 1,2,4,3 24,3,6,1; Tensor Double Strided 1,2,4 8,1,2";

TEST(KernelReturn, IsWhatTheContractAndTheSchemaSay) {
  EXPECT_EQ(said_of_return(kRight, flash_like()).kind, Verdict::Kind::pass);
}

TEST(KernelReturn, SeesValuesThatAreMissingUndefinedOrOfAnotherType) {
  for (const char* returned :
       {"", "Tensor Double Strided 1,2,4,3 24,3,6,1",
        "Tensor Double Strided 1,2,4,3 24,3,6,1; undefined",
        "Tensor Double Strided 1,2,4,3 24,3,6,1; Int",
        "Tensor Double Strided 1,2,4,3 24,3,6,1; Tensor Double Strided 1,2,4 8,1,2; Int"}) {
    EXPECT_TRUE(said_of_return(returned, flash_like()).failed()) << returned;
  }
}

TEST(KernelReturn, SeesOtherAxesAnotherDtypeAndAnotherOrderInMemory) {
  const std::string out = "Tensor Double Strided 1,2,4,3 24,3,6,1; ";
  EXPECT_TRUE(said_of_return(out + "Tensor Double Strided 1,2,4,1 8,1,2,1", flash_like()).failed());
  const Verdict narrow = said_of_return(out + "Tensor Float Strided 1,2,4 8,1,2", flash_like());
  ASSERT_TRUE(narrow.failed());
  EXPECT_EQ(narrow.evidence->expected, "a Double tensor (1, 2, 4)");
  EXPECT_EQ(narrow.evidence->got, "a Float tensor (1, 2, 4)");
  const Verdict by_head = said_of_return(out + "Tensor Double Strided 1,2,4 8,4,1", flash_like());
  ASSERT_TRUE(by_head.failed());
  EXPECT_EQ(by_head.evidence->got, "of strides (8, 4, 1)");
}

TEST(KernelReturn, CountsWhatBackwardWantsBesideTheUsual) {
  EXPECT_TRUE(said_of_return(kRight, flash_like(), "1").failed());
  BackendContract contract = flash_like();
  contract.saved.push_back("seed");
  EXPECT_EQ(said_of_return(kRight, contract, "1").kind, Verdict::Kind::pass);
}

TEST(KernelReturn, NamesAnOperatorThatThisReleaseLacks) {
  BackendContract contract = flash_like();
  contract.op = "aten::no_such_operator";
  const Verdict verdict = said_of_return(kRight, contract);
  ASSERT_TRUE(verdict.failed());
  EXPECT_NE(verdict.evidence->message.find("aten::no_such_operator"), std::string::npos);
}

TEST(LseShape, WantsInfinityBehindTheRowsOfAPaddedOne) {
  for (double padding : {double(INFINITY), 0.0}) {
    OracleLab lab;
    lab.backend_contract.lse_shape = LseShape::BHS32;
    lab.plant([=](const Request&, Observation& observation) {
      at::Tensor raw = at::full({1, 2, 32}, padding, at::kDouble);
      observation.ranks.front().tensors["raw_lse"] = raw;
    });
    EXPECT_EQ(judge("lse_has_declared_shape", kLocal, lab).failed(), padding == 0) << padding;
  }
}

TEST(Dtypes, AreThatOfTheQueriesAndTheWiderOfItAndFloat32) {
  constexpr const char* kProperty = "out_and_lse_have_declared_dtype";
  for (const char* dtype : {"f64", "f32", "bf16", "f16"}) {
    OracleLab lab;
    const std::string text = std::string(kCase) + " dtype=" + dtype;
    EXPECT_EQ(judge(kProperty, text, lab).kind, Verdict::Kind::pass) << dtype;
  }
  for (const char* tensor : {"out", "lse"}) {
    OracleLab lab;
    lab.plant([=](const Request&, Observation& observation) {
      at::Tensor& narrow = tensor_of(observation, 1, tensor);
      narrow = narrow.to(at::kFloat);
    });
    const Verdict verdict = judge(kProperty, kCase, lab);
    ASSERT_TRUE(verdict.failed()) << tensor;
    EXPECT_EQ(verdict.evidence->expected, "Double");
    EXPECT_EQ(verdict.evidence->got, "Float");
    EXPECT_EQ(verdict.evidence->rank, 1);
  }
}

// What the evidence says of an lse that was changed by `change`.
std::string said_of(const std::function<void(at::Tensor&)>& change) {
  OracleLab lab;
  lab.plant([&](const Request&, Observation& observation) {
    for (RankResult& rank : observation.ranks) change(rank.tensors.at("lse"));
  });
  const Verdict verdict = judge("lse_is_natural_log", kCase, lab);
  return verdict.failed() ? verdict.evidence->message : "passed";
}

TEST(NaturalLog, TellsWhichMistakeFits) {
  const auto has = [](const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
  };
  const std::string base_two = said_of([](at::Tensor& lse) { lse.div_(M_LN2); });
  EXPECT_TRUE(has(base_two, "log to base 2")) << base_two;
  const std::string twice = said_of([](at::Tensor& lse) { lse.mul_(M_LN2); });
  EXPECT_TRUE(has(twice, "converted twice")) << twice;
  const std::string doubled = said_of([](at::Tensor& lse) { lse.add_(M_LN2); });
  EXPECT_TRUE(has(doubled, "counted 2 times")) << doubled;
  // Two blocks of three keys with score s = sqrt(3), each with its log to base 2.
  const double block = (std::sqrt(3.0) + std::log(3.0)) / M_LN2;
  const std::string merged = said_of([&](at::Tensor& lse) { lse.fill_(block + M_LN2); });
  EXPECT_TRUE(has(merged, "merged as natural")) << merged;
  EXPECT_TRUE(has(merged, "on rank 0")) << merged;
}

constexpr const char* kEmpty = "empty_rows_are_zero_and_minus_infinity";
// Queries 0 and 1, both on rank 0, see no key.
constexpr const char* kEmptyCase = "impl=ring mesh=3x1 q=6 kv=4 h=2 d=3 causal=1 align=br seed=1";

Verdict with_first(const std::string& tensor, int rank, double value) {
  OracleLab lab;
  lab.plant([=](const Request&, Observation& observation) {
    tensor_of(observation, rank, tensor).view({-1})[0].fill_(value);
  });
  return judge(kEmpty, kEmptyCase, lab);
}

TEST(EmptyRows, AreJudgedExactly) {
  for (double lse : {0.0, double(INFINITY), std::nan("")}) {
    const Verdict verdict = with_first("lse", 0, lse);
    ASSERT_TRUE(verdict.failed()) << lse;
    EXPECT_EQ(verdict.evidence->tensor, "lse");
    EXPECT_EQ(verdict.evidence->expected, "-inf");
  }
  EXPECT_TRUE(with_first("out", 0, 1e-300).failed());
  EXPECT_TRUE(with_first("dq", 0, std::nan("")).failed());
  EXPECT_EQ(with_first("out", 0, -0.0).kind, Verdict::Kind::pass);
}

TEST(EmptyRows, LeaveTheOthersFinite) {
  EXPECT_TRUE(with_first("lse", 1, -INFINITY).failed());
  EXPECT_TRUE(with_first("dv", 2, std::nan("")).failed());
  EXPECT_EQ(with_first("out", 1, 5.0).kind, Verdict::Kind::pass);
}

TEST(EmptyRows, AreAskedForByTheCase) {
  EXPECT_TRUE(applies(kEmpty, kEmptyCase));
  EXPECT_FALSE(applies(kEmpty, kCase));
  EXPECT_FALSE(applies(kEmpty, "impl=ring mesh=2x1 q=6 kv=4 d=3 causal=1"));
}

}  // namespace
}  // namespace attncheck
