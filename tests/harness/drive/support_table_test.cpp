#include "harness/drive/support_table.h"

#include <algorithm>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "harness/drive/features.h"
#include "harness/drive/support_rows.h"
#include "problem/case_text.h"

namespace attncheck {
namespace {

// A ring that wants q_len = kv_len, does the striped layout on even meshes alone, no zigzag
// with grouped heads, and merges by a log-sum-exp.
Support ring(const Case& c) {
  if (c.mesh.ulysses > 1) return Support::no("needs a mesh Rx1");
  if (!c.return_lse) return Support::no("needs a log-sum-exp");
  if (c.problem.q_len != c.problem.kv_len) return Support::no("use kv=" + std::to_string(8));
  if (c.problem.layout == Layout::striped && c.mesh.ring % 2 == 1) return Support::no("odd");
  const bool grouped = c.problem.heads != c.problem.kv_heads;
  if (c.problem.layout == Layout::zigzag && grouped) return Support::no("use hkv=h");
  return Support::yes();
}

std::string table() {
  return support_table("ring", {{"with", true}, {"without", false}}, ring);
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(SupportTable, AsksOnTheMeshesThatTheSubjectDoes) {
  EXPECT_TRUE(table().starts_with("Asked on the meshes 2x1, 3x1, 4x1.\n")) << table();
}

TEST(SupportTable, SaysYesNoAndPartWithReasons) {
  const std::string text = table();
  EXPECT_TRUE(has(text, "| asked for | with | without |\n")) << text;
  EXPECT_TRUE(has(text, "| forward and backward | yes | no (1) |\n")) << text;
  EXPECT_TRUE(has(text, "| q_len != kv_len | no (2) | no (1) |\n")) << text;
  EXPECT_TRUE(has(text, "| striped layout | part (3) | no (1) |\n")) << text;
  EXPECT_TRUE(has(text, "- (1) needs a log-sum-exp\n- (2) use kv=8\n- (3) on 3x1: odd\n")) << text;
}

TEST(SupportTable, NamesTwoRowsThatAreRefusedTogether) {
  const std::string text = table();
  EXPECT_TRUE(has(text,
                  "are \"yes\" together, but for\n\n"
                  "- zigzag layout; grouped heads: no on with (4)\n"))
      << text;
  EXPECT_TRUE(has(text, "- (4) on 2x1: use hkv=h\n")) << text;
  EXPECT_FALSE(has(text, "- striped layout; grouped heads")) << text;
}

TEST(SupportTable, SaysNothingWhereARowSaysNothing) {
  EXPECT_TRUE(has(table(), "| heads that the Ulysses degree does not divide | - | - |\n"));
}

TEST(SupportRows, LeaveOutNoFeatureThatASubjectMayRefuse) {
  const std::vector<SupportRow> rows = support_rows();
  for (const Feature& feature : all_features()) {
    if (feature.of_transport || feature.name.starts_with("data=")) continue;
    if (feature.name == "tile lengths") continue;  // of a backend alone
    const auto speaks = [&](const SupportRow& row) {
      return std::count(row.features.begin(), row.features.end(), feature.name) > 0;
    };
    EXPECT_TRUE(std::any_of(rows.begin(), rows.end(), speaks)) << feature.name;
  }
}

TEST(SupportRows, EachAsksForWhatNoOtherDoes) {
  const std::set<std::string> plain{"float64", "keys by all-gather", "LSE returned"};
  const StreamSpec spec;
  std::map<std::string, std::string> labels;
  for (const SupportRow& row : support_rows()) {
    if (!row.set || plain.contains(row.label)) continue;
    Case c = plain_case(spec, {2, 2});
    row.set(c);
    const auto [other, is_new] = labels.emplace(to_text(c), row.label);
    EXPECT_TRUE(is_new) << row.label << " and " << other->second << ": " << to_text(c);
  }
}

}  // namespace
}  // namespace attncheck
