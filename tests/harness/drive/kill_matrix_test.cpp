#include "harness/drive/kill_matrix.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "harness/drive/matrix_report.h"
#include "harness/drive/median.h"

namespace attncheck {
namespace {

using Counts = std::vector<std::optional<int64_t>>;

constexpr std::nullopt_t kNot = std::nullopt;

TEST(LowerMedian, CountsWhatIsMissingAsMoreThanAnything) {
  EXPECT_EQ(lower_median({}), std::nullopt);
  EXPECT_EQ(lower_median({5, 1, 9}), 5);
  EXPECT_EQ(lower_median({5, 1, 9, 7}), 5);
  EXPECT_EQ(lower_median({kNot, 1, 9}), 9);
  EXPECT_EQ(lower_median({kNot, 1}), 1);
  EXPECT_EQ(lower_median({kNot, 1, kNot}), std::nullopt);
}

MatrixPair pair_that(Verdict::Kind kind, Counts caught = {kNot, kNot, kNot}) {
  MatrixPair pair;
  pair.verdict = kind;
  pair.caught = std::move(caught);
  pair.judged = kind == Verdict::Kind::pass || kind == Verdict::Kind::fail ? 3 : 0;
  if (pair.judged == 0) pair.reason = "why not";
  return pair;
}

MatrixPair killing(int64_t cases) {
  return pair_that(Verdict::Kind::fail, {cases, cases, cases});
}
MatrixPair held() {
  return pair_that(Verdict::Kind::pass);
}
// Caught, on one seed of three.
MatrixPair rare() {
  return pair_that(Verdict::Kind::fail, {kNot, 9, kNot});
}

KillMatrix matrix_with(std::vector<std::vector<MatrixPair>> rows) {
  KillMatrix matrix;
  matrix.seeds = {1, 2, 3};
  matrix.cases = 60;
  for (size_t i = 0; i < rows.front().size(); ++i) {
    matrix.properties.push_back(std::string(1, static_cast<char>('p' + i)));
  }
  for (std::vector<MatrixPair>& pairs : rows) {
    MatrixRow row;
    row.name = "m" + std::to_string(matrix.rows.size());
    for (size_t i = 0; i < pairs.size(); ++i) pairs[i].property = matrix.properties[i];
    row.pairs = std::move(pairs);
    matrix.rows.push_back(std::move(row));
  }
  return matrix;
}

TEST(KillMatrix, APropertyAloneIsOneWithoutWhichAMutantSurvives) {
  const auto columns = columns_of(matrix_with({{killing(2), killing(7), held()},
                                               {killing(3), held(), held()},
                                               {rare(), killing(4), held()}}));
  EXPECT_EQ(columns[0].kills, 2);
  EXPECT_EQ(columns[0].cases, 2);
  EXPECT_EQ(columns[0].alone, (std::vector<std::string>{"m1"}));
  EXPECT_EQ(columns[0].first, 1);
  EXPECT_EQ(columns[1].kills, 2);
  EXPECT_EQ(columns[1].first, 1);
  EXPECT_TRUE(columns[1].alone.empty()) << "p catches m2 too, on one of the seeds";
  EXPECT_EQ(columns[2].kills, 0);
  EXPECT_EQ(columns[2].cases, std::nullopt);
}

TEST(KillMatrix, NobodyIsFirstAmongEquals) {
  const auto columns = columns_of(matrix_with({{killing(2), killing(2)}}));
  EXPECT_EQ(columns[0].first + columns[1].first, 0);
}

TEST(KillMatrix, TheListedCaseAloneKillsLaterThanAnyDrawnOne) {
  MatrixPair listed = pair_that(Verdict::Kind::fail);
  listed.by_listed = true;
  const auto columns = columns_of(matrix_with({{listed, killing(60)}, {listed, held()}}));
  EXPECT_EQ(columns[0].kills, 2);
  EXPECT_EQ(columns[0].cases, std::nullopt);
  EXPECT_EQ(columns[0].alone, (std::vector<std::string>{"m1"}));
  EXPECT_EQ(columns[1].first, 1);
}

TEST(KillMatrix, ExitCodesFollowTheStatesOfTheMutants) {
  EXPECT_EQ(matrix_with({{killing(1), held()}}).exit_code(), 0);
  EXPECT_EQ(matrix_with({{held(), held()}}).exit_code(), 1);
  EXPECT_EQ(matrix_with({{rare(), held()}}).exit_code(), 1) << "caught too rarely";
  const MatrixPair none = pair_that(Verdict::Kind::unsupported);
  EXPECT_EQ(matrix_with({{none, pair_that(Verdict::Kind::not_run)}}).exit_code(), 3);
  EXPECT_EQ(matrix_with({{none}, {held()}}).exit_code(), 1);
}

TEST(KillMatrix, AnEquivalentMutantMayNotBeCaughtOnAnySeed) {
  KillMatrix matrix = matrix_with({{held(), held()}});
  matrix.rows[0].equivalent = "the same sum";
  EXPECT_EQ(matrix.exit_code(), 0);
  EXPECT_EQ(matrix.rows[0].state(), HuntState::equivalent);
  matrix.rows[0].pairs[1] = rare();
  EXPECT_EQ(matrix.exit_code(), 1);
  EXPECT_EQ(columns_of(matrix)[1].kills, 0);
}

TEST(KillMatrix, APropertyAskedForByNameMustHaveJudgedSomeMutant) {
  KillMatrix matrix = matrix_with({{killing(1), pair_that(Verdict::Kind::not_run)}});
  EXPECT_EQ(matrix.exit_code(), 0);
  matrix.required = {"p", "q"};
  EXPECT_EQ(matrix.unjudged(), (std::vector<std::string>{"q"}));
  EXPECT_EQ(matrix.exit_code(), 3);
  EXPECT_NE(report_text(matrix).find("not checked: q"), std::string::npos);
}

TEST(KillMatrixReport, TellsEveryPairApart) {
  MatrixPair listed = pair_that(Verdict::Kind::fail);
  listed.by_listed = true;
  const KillMatrix matrix =
      matrix_with({{killing(2), rare(), listed, held(), pair_that(Verdict::Kind::not_run),
                    pair_that(Verdict::Kind::unsupported)}});
  const std::string text = report_text(matrix);
  for (const char* part : {"3 failed, 1 held, 1 not run, 1 unsupported", "     2  p", "rarely  q",
                           "listed  r", "1 caught", "seeds 1 to 3, up to 60 cases each"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
  }
}

TEST(KillMatrixReport, KeepsToTheWidthOfAScreen) {
  std::vector<MatrixPair> pairs(40, killing(1));
  KillMatrix matrix = matrix_with({pairs});
  for (MatrixPair& pair : matrix.rows[0].pairs) pair.property = "a_property_with_a_long_name";
  const std::string text = report_text(matrix);
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = text.find('\n', begin);
    EXPECT_LE(end - begin, 100u) << text.substr(begin, end - begin);
    begin = end + 1;
  }
}

TEST(KillMatrixReport, HasStableKeysForPrograms) {
  KillMatrix matrix = matrix_with({{killing(2), pair_that(Verdict::Kind::not_run)}});
  matrix.rows[0].property = "p";
  const auto json = nlohmann::json::parse(report_json(matrix));
  for (const char* key :
       {"attncheck", "libtorch", "seeds", "cases", "seconds", "properties", "matrix"}) {
    EXPECT_TRUE(json.contains(key)) << key;
  }
  const auto& column = json["properties"][0];
  EXPECT_EQ(column["name"], "p");
  EXPECT_EQ(column["kills"], 1);
  EXPECT_EQ(column["cases"], 2);
  EXPECT_EQ(column["alone"], (std::vector<std::string>{"m0"}));
  EXPECT_EQ(column["first"], 0);
  const auto& row = json["matrix"][0];
  for (const char* key :
       {"name", "source", "state", "property", "equivalent", "cases", "runs", "seconds", "pairs"}) {
    EXPECT_TRUE(row.contains(key)) << key;
  }
  EXPECT_EQ(row["pairs"][0]["by_seed"], (std::vector<int64_t>{2, 2, 2}));
  EXPECT_EQ(row["pairs"][0]["verdict"], "fail");
  EXPECT_EQ(row["pairs"][0]["kills"], true);
  EXPECT_EQ(row["pairs"][1]["verdict"], "not_run");
  EXPECT_EQ(row["pairs"][1]["reason"], "why not");
  EXPECT_TRUE(row["pairs"][1]["by_seed"][0].is_null());
  EXPECT_TRUE(row["pairs"][1]["cases"].is_null());
}

}  // namespace
}  // namespace attncheck
