#include <stdexcept>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "harness/contracts/contract_report.h"
#include "harness/contracts/meta_file.h"
#include "harness/contracts/table_file.h"

namespace attncheck {
namespace {

using FilesJson = nlohmann::json;

FilesJson meta_json() {
  return {{"libtorch", "2.9.1+cu128"},
          {"q_dtype", "bfloat16"},
          {"sizes", {{"B", 2}, {"H", 4}, {"S", 40}, {"K", 24}, {"D", 16}}},
          {"returns", {{"op", {{{"sizes", {2}}, {"strides", {1}}, {"dtype", "int64"}}, nullptr}}}}};
}

TEST(TableFile, ComesBackAsItWasPrinted) {
  const reference::ContractTable& table = reference::pinned_contracts();
  EXPECT_EQ(parse_table(table_json(table)), table);
}

TEST(TableFile, IsRefusedWhenItIsBroken) {
  const auto refused = [](const auto& edit) {
    FilesJson json = FilesJson::parse(table_json(reference::pinned_contracts()));
    edit(json["contracts"][0]);
    EXPECT_THROW(parse_table(json.dump()), std::invalid_argument);
  };
  EXPECT_THROW(parse_table(""), std::invalid_argument);
  EXPECT_THROW(parse_table("{"), std::invalid_argument);
  EXPECT_THROW(parse_table("{}"), std::invalid_argument);
  EXPECT_THROW(parse_table(R"({"contracts": []})"), std::invalid_argument);
  refused([](FilesJson& row) { row.erase("op"); });
  refused([](FilesJson& row) { row["first"] = "two"; });
  refused([](FilesJson& row) { row["schema"] = "(Tensor query"; });
  refused([](FilesJson& row) { row["returns"][0]["shape"] = "B Q"; });
  refused([](FilesJson& row) { row["returns"][0]["position"] = "first"; });
}

TEST(MetaFile, IsReadByOperator) {
  const MetaKernels meta = parse_meta_kernels(meta_json().dump());
  EXPECT_EQ(meta.libtorch, "2.9.1+cu128");
  const OperatorReturns& returns = meta.returns.at("op");
  EXPECT_EQ(returns.q_dtype, "bfloat16");
  ASSERT_EQ(returns.returns.size(), 2u);
  EXPECT_EQ(returns.returns[0]->dtype, "int64");
  EXPECT_FALSE(returns.returns[1]);
}

TEST(MetaFile, IsRefusedWhenItIsBrokenOrAskedOnOtherSizes) {
  EXPECT_THROW(parse_meta_kernels("[]"), std::invalid_argument);
  EXPECT_THROW(parse_meta_kernels("not json"), std::invalid_argument);
  FilesJson other = meta_json();
  other["sizes"]["S"] = 41;
  EXPECT_THROW(parse_meta_kernels(other.dump()), std::invalid_argument);
  other = meta_json();
  other["returns"]["op"][0].erase("strides");
  EXPECT_THROW(parse_meta_kernels(other.dump()), std::invalid_argument);
}

TEST(ContractReport, SaysForProgramsWhatItSaysForPeople) {
  ContractFinding finding{
      "op", "lse shape", "B H S 1", "meta kernel", "B H S", ContractFinding::State::differs, ""};
  const ContractReport report{"0.1", "2.9.1", "2.9", {{{}, {finding}}}, {}};
  const FilesJson json = FilesJson::parse(report_json(report));
  ASSERT_EQ(json["findings"].size(), 1u);
  EXPECT_EQ(json["findings"][0]["state"], "differs");
  EXPECT_EQ(json["findings"][0]["release"], "2.9");
  EXPECT_EQ(json["findings"][0]["table"], "B H S 1");
}

}  // namespace
}  // namespace attncheck
