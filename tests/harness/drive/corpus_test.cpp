#include "harness/drive/corpus.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "harness/drive/check_stream.h"
#include "problem/case_text.h"
#include "tests/harness/drive/planted_properties.h"

namespace attncheck {
namespace {

namespace fs = std::filesystem;

class CorpusTest : public testing::Test {
 protected:
  void SetUp() override { fs::remove_all(folder_); }
  void TearDown() override { fs::remove_all(folder_); }

  const std::string folder_ = testing::TempDir() + "attncheck_corpus/" +
                              testing::UnitTest::GetInstance()->current_test_info()->name();
  const Corpus corpus_{folder_};
  const Case case_ = parse_case("impl=subject mesh=2x1 q=2 d=1 seed=17");
};

TEST_F(CorpusTest, IsEmptyWhereThereIsNoFolder) {
  EXPECT_TRUE(corpus_.load().empty());
  EXPECT_FALSE(fs::exists(folder_));
}

TEST_F(CorpusTest, RemembersAFailureOnce) {
  corpus_.remember({"bad", case_});
  corpus_.remember({"bad", case_});
  corpus_.remember({"worse", case_});
  const auto remembered = corpus_.load();
  ASSERT_EQ(remembered.size(), 2u);
  EXPECT_EQ(remembered[0].property, "bad");
  EXPECT_EQ(remembered[0].case_, case_);
  EXPECT_EQ(remembered[1].property, "worse");
}

TEST_F(CorpusTest, NamesTheFileThatHoldsNoCase) {
  corpus_.remember({"bad", case_});
  std::ofstream(folder_ + "/broken.case") << "bad | impl=subject mesh=2by1 q=2 d=1\n";
  try {
    corpus_.load();
    FAIL() << "the broken file was taken";
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("broken.case"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("column"), std::string::npos) << error.what();
  }
}

TEST_F(CorpusTest, ReadsWhatAFileShowsAmongItsComments) {
  fs::create_directories(folder_);
  std::ofstream(folder_ + "/a.case") << "# found on a Monday\n# shows: rank 1 keeps its keys\n\n"
                                     << "bad | " << to_text(case_) << "\n";
  const auto remembered = corpus_.load();
  ASSERT_EQ(remembered.size(), 1u);
  EXPECT_EQ(remembered[0].property, "bad");
  EXPECT_EQ(remembered[0].case_, case_);
  EXPECT_EQ(remembered[0].shows, "rank 1 keeps its keys");
}

TEST_F(CorpusTest, RefusesAFileOfNoneOrTwoFailures) {
  fs::create_directories(folder_);
  const std::string line = "bad | " + to_text(case_) + "\n";
  for (const std::string& text : {std::string("# shows: nothing\n"), line + line}) {
    std::ofstream(folder_ + "/a.case") << text;
    EXPECT_THROW(corpus_.load(), std::invalid_argument) << text;
  }
}

TEST_F(CorpusTest, PromotesUnderANameThatSaysPropertyAndCase) {
  const std::string path = corpus_.promote({"bad", case_, "rank 1 keeps its keys"});
  EXPECT_EQ(fs::path(path).filename(), "bad.impl-subject.mesh-2x1.q-2.d-1.seed-17.case");
  const RememberedCase kept = read_remembered(path);
  EXPECT_EQ(to_text(kept), "bad | " + to_text(case_));
  EXPECT_EQ(kept.shows, "rank 1 keeps its keys");
}

TEST_F(CorpusTest, NeverPromotesOverAFile) {
  const std::string path = corpus_.promote({"bad", case_, "first"});
  EXPECT_THROW(corpus_.promote({"bad", case_, "second"}), std::runtime_error);
  EXPECT_EQ(read_remembered(path).shows, "first");
}

TEST_F(CorpusTest, PromotesLongCasesUnderNamesThatFilesMayHave) {
  Case longer = case_;
  longer.impl = "mutant:" + std::string(300, 'x');
  Case other = longer;
  other.seed = 18;
  const std::string path = corpus_.promote({"bad", longer, "a"});
  EXPECT_LT(fs::path(path).filename().string().size(), 256u);
  EXPECT_NE(path, corpus_.promote({"bad", other, "b"}));
}

TEST_F(CorpusTest, SaysWhyItCannotRemember) {
  fs::create_directories(fs::path(folder_).parent_path());
  std::ofstream{folder_} << "a file where the folder should be";
  EXPECT_THROW(corpus_.remember({"bad", case_}), std::runtime_error);
}

TEST_F(CorpusTest, AFailureIsTriedFirstOnTheNextRun) {
  const Property rare = property_named("rare", [](const Case& c) {
    return c.seed == 17 ? Verdict::fail("that seed") : Verdict::pass();
  });
  OracleLab lab;
  Lanes lanes({lane_on(lab)});
  CheckOptions options;
  options.cases = 20;
  EXPECT_FALSE(check_stream(small_spec(), {&rare}, lanes, options).failed());

  corpus_.remember({"rare", case_});
  options.remembered = corpus_.load();
  std::vector<RememberedCase> found;
  options.on_failure = [&](const RememberedCase& failure) { found.push_back(failure); };
  const StreamReport report = check_stream(small_spec(), {&rare}, lanes, options);
  EXPECT_EQ(report.remembered, 1);
  EXPECT_TRUE(report.failed());
  EXPECT_EQ(report.results[0].cases, 1);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].property, "rare");
}

TEST_F(CorpusTest, ACaseOfAnotherStreamIsLeftAlone) {
  const Property rare = holding("rare");
  OracleLab lab;
  Lanes lanes({lane_on(lab)});
  CheckOptions options;
  options.cases = 5;
  options.remembered = {{"rare", parse_case("impl=other mesh=2x1 q=2 d=1")},
                        {"rare", parse_case("impl=subject mesh=4x1 q=4 d=1")},
                        {"rare", parse_case("impl=subject mesh=2x1 q=2 d=1 dtype=f32")},
                        {"unknown", case_}};
  EXPECT_EQ(check_stream(small_spec(), {&rare}, lanes, options).remembered, 0);
}

}  // namespace
}  // namespace attncheck
