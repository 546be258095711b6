#include "harness/contracts/compare.h"

#include <gtest/gtest.h>
#include <torch/version.h>

namespace attncheck {
namespace {

using reference::ContractTable;
using reference::KernelContract;
using reference::Release;
using State = ContractFinding::State;

const Release kLinked = reference::parse_release(TORCH_VERSION).value();
const char* const kCudnn = "_scaled_dot_product_cudnn_attention";
const char* const kFlashCpu = "_scaled_dot_product_flash_attention_for_cpu";

const KernelContract& pinned(const std::string& op, Release release) {
  return *reference::find_contract(reference::pinned_contracts(), op, release);
}

// What cuDNN's meta kernel says where its log-sum-exp has these sizes.
OperatorReturns cudnn_returns(std::vector<int64_t> lse_sizes, std::vector<int64_t> lse_strides) {
  const TensorForm out{{2, 4, 40, 16}, {2560, 16, 64, 1}, "bfloat16", ""};
  return {"bfloat16", {out, TensorForm{lse_sizes, lse_strides, "float32", ""}}};
}

std::vector<ContractFinding> differing(const std::vector<ContractFinding>& findings) {
  std::vector<ContractFinding> some;
  for (const ContractFinding& finding : findings) {
    if (finding.state == State::differs) some.push_back(finding);
  }
  return some;
}

ContractReport report_of(const std::vector<OperatorFindings>& operators, Release release) {
  return {"0", "2.x", to_text(release), operators, {}};
}

BackendContract cudnn_contract(LseShape shape) {
  BackendContract contract;
  contract.op = std::string("aten::") + kCudnn;
  contract.lse_shape = shape;
  contract.lse_dtype = LseDType::float32;
  contract.takes.dtypes = {DType::bf16, DType::f16};
  return contract;
}

TEST(CompareReturned, TakesTheFourthAxisFor2_9AloneAndNot2_8) {
  const OperatorReturns three = cudnn_returns({2, 4, 40}, {160, 40, 1});
  const OperatorReturns four = cudnn_returns({2, 4, 40, 1}, {160, 40, 1, 1});
  EXPECT_TRUE(differing(compare_returned(pinned(kCudnn, {2, 8}), "meta", {three})).empty());
  EXPECT_TRUE(differing(compare_returned(pinned(kCudnn, {2, 9}), "meta", {four})).empty());
  const auto wrong = differing(compare_returned(pinned(kCudnn, {2, 9}), "meta", {three}));
  ASSERT_EQ(wrong.size(), 1u);
  EXPECT_EQ(wrong[0].what, "lse shape");
  EXPECT_EQ(wrong[0].table, "B H S 1");
  EXPECT_EQ(wrong[0].found, "B H S");
  EXPECT_EQ(differing(compare_returned(pinned(kCudnn, {2, 8}), "meta", {four})).size(), 1u);
}

TEST(CompareReturned, SeesDtypeMemoryAndWhatIsMissing) {
  const auto what_differs = [](OperatorReturns returns) {
    const auto wrong =
        differing(compare_returned(pinned(kCudnn, {2, 9}), "meta", {std::move(returns)}));
    return wrong.empty() ? "" : wrong[0].what;
  };
  OperatorReturns right = cudnn_returns({2, 4, 40, 1}, {160, 40, 1, 1});
  EXPECT_EQ(what_differs(right), "");
  OperatorReturns other = right;
  other.returns[1]->dtype = "bfloat16";
  EXPECT_EQ(what_differs(other), "lse dtype");
  other = right;
  other.returns[0]->strides = {2560, 640, 16, 1};
  EXPECT_EQ(what_differs(other), "out memory");
  other = right;
  other.returns[1] = std::nullopt;
  EXPECT_EQ(what_differs(other), "lse shape");
}

TEST(CompareReturned, HoldsDtypesToTheDtypeOfQ) {
  const TensorForm out{{2, 4, 40, 16}, {2560, 16, 64, 1}, "float64", ""};
  const TensorForm lse{{2, 4, 40}, {160, 1, 4}, "float32", ""};
  const auto wrong = differing(compare_returned(pinned(kFlashCpu, kLinked), "run",
                                                {OperatorReturns{"float64", {out, lse}}}));
  ASSERT_EQ(wrong.size(), 1u);
  EXPECT_EQ(wrong[0].what, "lse dtype");
  EXPECT_EQ(wrong[0].found, "float32 of a float64 q");
}

TEST(CompareReturned, SeesRowsWithoutKeys) {
  const TensorForm out{{2, 4, 40, 16}, {2560, 16, 64, 1}, "bfloat16", "0"};
  const TensorForm lse{{2, 4, 40}, {160, 1, 4}, "float32", "-inf"};
  const auto wrong = differing(compare_returned(pinned(kFlashCpu, kLinked), "run",
                                                {OperatorReturns{"bfloat16", {out, lse}}}));
  ASSERT_EQ(wrong.size(), 1u);
  EXPECT_EQ(wrong[0].what, "lse empty rows");
  EXPECT_EQ(wrong[0].table, "0");
}

TEST(CompareDeclared, NamesTheBackendThatDeclaresAnotherShape) {
  const KernelContract& row = pinned(kCudnn, {2, 9});
  const Declaration right{"cudnn", cudnn_contract(LseShape::BHS1)};
  EXPECT_TRUE(differing(compare_declared(row, right)).empty());
  const Declaration old{"cudnn", cudnn_contract(LseShape::BHS)};
  const auto wrong = differing(compare_declared(row, old));
  ASSERT_EQ(wrong.size(), 1u);
  EXPECT_EQ(wrong[0].what, "lse shape");
  EXPECT_EQ(wrong[0].witness, "cudnn declares");
}

TEST(CompareDeclared, CountsWideAsFloat32WhereTheKernelTakesNoFloat64) {
  Declaration declaration{"cudnn", cudnn_contract(LseShape::BHS1)};
  declaration.contract.lse_dtype = LseDType::wide;
  EXPECT_TRUE(differing(compare_declared(pinned(kCudnn, {2, 9}), declaration)).empty());
  declaration.contract.lse_dtype = LseDType::of_q;
  EXPECT_EQ(differing(compare_declared(pinned(kCudnn, {2, 9}), declaration)).size(), 1u);
}

TEST(CompareDeclared, MissesALogSumExpThatTheRowDoesNotHave) {
  KernelContract row = pinned(kCudnn, {2, 9});
  const Declaration declaration{"cudnn", cudnn_contract(LseShape::BHS1)};
  std::erase_if(row.returns, [](const auto& tensor) { return tensor.name == "lse"; });
  const auto wrong = differing(compare_declared(row, declaration));
  ASSERT_EQ(wrong.size(), 1u);
  EXPECT_EQ(wrong[0].what, "lse");
}

TEST(CompareAll, ARowThatSaysNothingOfEmptyRowsIsHeldToTheKernel) {
  ContractTable table = reference::pinned_contracts();
  for (KernelContract& row : table) {
    if (row.op == kFlashCpu) row.returns[1].empty_rows = "-";
  }
  const ContractReport report =
      report_of(compare_all({table, kLinked, {}, false, nullptr}), kLinked);
  EXPECT_EQ(report.exit_code(), 1) << report_text(report);
}

TEST(CompareAll, ADeviceThatTheOperatorIsNotForIsADifference) {
  for (const char* op : {kFlashCpu, kCudnn}) {
    ContractTable table = reference::pinned_contracts();
    for (KernelContract& row : table) {
      if (row.op == op) row.device = row.device == "cpu" ? "cuda" : "cpu";
    }
    const ContractReport report =
        report_of(compare_all({table, kLinked, {}, false, nullptr}), kLinked);
    EXPECT_EQ(report.exit_code(), 1) << op;
  }
}

TEST(CompareAll, AnEditedRowFailsAndNamesOperatorAndRelease) {
  ContractTable table = reference::pinned_contracts();
  for (KernelContract& row : table) {
    if (row.op == kFlashCpu) row.returns[1].shape = "B H S 1";
  }
  const auto operators = compare_all({table, kLinked, {}, false, nullptr});
  const ContractReport report = report_of(operators, kLinked);
  EXPECT_EQ(report.exit_code(), 1);
  EXPECT_EQ(report.count(State::differs), 1);
  const std::string text = report_text(report);
  EXPECT_NE(text.find(std::string("FAILED aten::") + kFlashCpu + " on LibTorch " +
                      to_text(kLinked) + ": lse shape"),
            std::string::npos)
      << text;
}

TEST(CompareAll, ThePinnedTableHoldsForTheLinkedRelease) {
  const ContractTable& table = reference::pinned_contracts();
  const ContractReport report =
      report_of(compare_all({table, kLinked, {}, false, nullptr}), kLinked);
  EXPECT_EQ(report.operators.size(), 9u);
  EXPECT_EQ(report.exit_code(), 0) << report_text(report);
}

TEST(CompareAll, AContractForOtherReleasesIsNotRun) {
  Declaration old{"cudnn", cudnn_contract(LseShape::BHS)};
  old.contract.releases.before = "2.5";
  const ContractTable& table = reference::pinned_contracts();
  const auto operators = compare_all({table, kLinked, {old}, true, nullptr});
  ASSERT_EQ(operators.size(), 2u);  // forward and its backward
  EXPECT_EQ(report_of(operators, kLinked).count(State::differs), 0);
  EXPECT_NE(report_text(report_of(operators, kLinked)).find("its contract is for other releases"),
            std::string::npos);
}

TEST(CompareAll, MetaKernelsAreHeldAgainstTheirRow) {
  const OperatorReturns three = cudnn_returns({2, 4, 40}, {160, 40, 1});
  const OperatorReturns four = cudnn_returns({2, 4, 40, 1}, {160, 40, 1, 1});
  const bool is_new = kLinked >= Release{2, 9};
  MetaKernels meta{TORCH_VERSION, {{kCudnn, is_new ? three : four}}};
  const ContractTable& table = reference::pinned_contracts();
  const ContractReport report = report_of(compare_all({table, kLinked, {}, false, &meta}), kLinked);
  EXPECT_EQ(report.exit_code(), 1);
  meta.returns[kCudnn] = is_new ? four : three;
  EXPECT_EQ(report_of(compare_all({table, kLinked, {}, false, &meta}), kLinked).exit_code(), 0);
}

TEST(ContractReport, IsNoPassWhereNothingWasCompared) {
  ContractReport report = report_of({}, {2, 16});
  EXPECT_EQ(report.exit_code(), 3);
  ContractFinding not_run;
  not_run.state = State::not_run;
  report.operators.push_back({pinned(kCudnn, kLinked), {not_run}});
  EXPECT_EQ(report.exit_code(), 3);
  report.operators.back().findings.push_back({});
  EXPECT_EQ(report.exit_code(), 0);
  report.unchecked.push_back("math: its kernel is no operator");
  EXPECT_EQ(report.exit_code(), 3);
}

}  // namespace
}  // namespace attncheck
