#include "reference/contract_table.h"

#include <gtest/gtest.h>

namespace attncheck::reference {
namespace {

const KernelContract& row_of(const std::string& op, Release release) {
  const KernelContract* row = find_contract(pinned_contracts(), op, release);
  if (row == nullptr) throw std::out_of_range(op + " " + to_text(release));
  return *row;
}

TEST(ContractTable, HasOneRowForEveryOperatorAndRelease) {
  const std::vector<std::string> ops = operators_of(pinned_contracts());
  EXPECT_EQ(ops.size(), 9u);
  for (const std::string& op : ops) {
    for (int minor = kFirstRelease.minor; minor <= kLastRelease.minor; ++minor) {
      EXPECT_NE(find_contract(pinned_contracts(), op, {2, minor}), nullptr) << op << " 2." << minor;
    }
    EXPECT_EQ(find_contract(pinned_contracts(), op, {2, 3}), nullptr);
    EXPECT_EQ(find_contract(pinned_contracts(), op, {2, 16}), nullptr);
  }
  EXPECT_EQ(fault_of(pinned_contracts()), "");
}

TEST(ContractTable, NamesItsSources) {
  for (const KernelContract& row : pinned_contracts()) {
    EXPECT_EQ(row.source.find("v" + to_text(row.first)), 0u) << row.op << ": " << row.source;
    EXPECT_NE(row.source.find("native_functions.yaml"), std::string::npos) << row.op;
  }
}

TEST(ContractTable, CudnnsLogSumExpHasAFourthAxisFrom2_9On) {
  const std::string op = "_scaled_dot_product_cudnn_attention";
  for (int minor = 4; minor <= 15; ++minor) {
    const std::string expected = minor < 9 ? "B H S" : "B H S 1";
    EXPECT_EQ(row_of(op, {2, minor}).returns.at(1).shape, expected) << "2." << minor;
  }
}

TEST(ContractTable, CudnnsBackwardHasAnOrderOfItsOwnFrom2_5On) {
  const std::string flash = "_scaled_dot_product_flash_attention_backward";
  const std::string cudnn = "_scaled_dot_product_cudnn_attention_backward";
  const auto arguments = [](const KernelContract& row) {
    return row.schema.substr(0, row.schema.find(" ->"));
  };
  EXPECT_EQ(arguments(row_of(cudnn, {2, 4})), arguments(row_of(flash, {2, 4})));
  EXPECT_NE(arguments(row_of(cudnn, {2, 5})), arguments(row_of(flash, {2, 5})));
  EXPECT_EQ(row_of(cudnn, {2, 5}), row_of(cudnn, {2, 15}));
}

TEST(ContractTable, OnlyTheEfficientKernelPadsItsLogSumExp) {
  for (const KernelContract& row : pinned_contracts()) {
    for (const ReturnedTensor& tensor : row.returns) {
      const bool padded = tensor.shape.find("S32") != std::string::npos;
      EXPECT_EQ(padded, tensor.name == "lse" && row.op == "_scaled_dot_product_efficient_attention")
          << row.op;
    }
  }
}

TEST(ContractTable, ReadsReleases) {
  EXPECT_EQ(parse_release("2.9"), (Release{2, 9}));
  EXPECT_EQ(parse_release("2.9.1"), (Release{2, 9}));
  EXPECT_EQ(parse_release("2.15.0+cu130"), (Release{2, 15}));
  EXPECT_LT((Release{2, 9}), (Release{2, 15}));
  for (const char* text : {"", "2", "2.", "two", ".9", "2.9a"}) {
    EXPECT_FALSE(parse_release(text)) << text;
  }
}

TEST(ContractTable, FaultsOfAnEditedOneAreNamed) {
  const auto fault_after = [](const auto& edit) {
    ContractTable table = pinned_contracts();
    edit(table);
    return fault_of(table);
  };
  EXPECT_EQ(fault_of(ContractTable{}), "no row");
  EXPECT_NE(fault_after([](auto& t) { t[0].returns[0].shape = "B Q"; }).find("'Q'"),
            std::string::npos);
  EXPECT_NE(fault_after([](auto& t) { t[0].returns[0].dtype = "f32"; }).find("'f32'"),
            std::string::npos);
  EXPECT_NE(fault_after([](auto& t) { t[0].returns[0].memory = "odd"; }).find("'odd'"),
            std::string::npos);
  EXPECT_NE(fault_after([](auto& t) { t[0].returns[0].empty_rows = "1"; }).find("'1'"),
            std::string::npos);
  EXPECT_NE(fault_after([](auto& t) { t[0].device = "tpu"; }).find("'tpu'"), std::string::npos);
  EXPECT_NE(fault_after([](auto& t) { t[0].last = {2, 3}; }).find("2.3"), std::string::npos);
  EXPECT_NE(fault_after([](auto& t) { t.push_back(t[0]); }).find("two rows for release 2.4"),
            std::string::npos);
}

}  // namespace
}  // namespace attncheck::reference
