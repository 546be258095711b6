#include <gtest/gtest.h>

#include "problem/case_text.h"
#include "properties/key_edits.h"
#include "tests/properties/oracle_lab.h"

namespace attncheck {
namespace {

constexpr const char* kCase = "impl=unified mesh=2x2 b=2 q=4 h=4 hkv=2 d=3 seed=1";

// What the property says when one element of `tensor` on rank 1 is off by `delta` in some runs.
Verdict with_fault(const std::string& property, const std::string& text, const std::string& tensor,
                   double delta, std::function<bool(const Request&)> when) {
  OracleLab lab;
  lab.add_when(std::move(when), 1, tensor, delta);
  return judge(property, text, lab);
}

void expect_seen(const Verdict& verdict, const std::string& tensor, const std::string& part) {
  ASSERT_TRUE(verdict.failed()) << tensor;
  EXPECT_EQ(verdict.evidence->tensor, tensor);
  EXPECT_EQ(verdict.evidence->rank, 1);
  EXPECT_NE(verdict.evidence->message.find(part), std::string::npos) << verdict.evidence->message;
}

constexpr const char* kAll[] = {"out", "lse", "dq", "dk", "dv"};

TEST(KeyOrder, SeesEveryTensor) {
  for (const char* tensor : kAll) {
    const auto permuted = [](const Request& r) { return r.key == KeyEdit::permuted; };
    const Verdict verdict = with_fault("key_order_does_not_matter", kCase, tensor, 1e-12, permuted);
    expect_seen(verdict, tensor, "in their own order");
    EXPECT_GT(verdict.evidence->bound, 0);
  }
}

// A key whose gradient stays at the old place.
TEST(KeyOrder, MovesTheGradientsOfKeysAlong) {
  OracleLab lab;
  lab.plant([](const Request& request, Observation& observation) {
    if (request.key != KeyEdit::permuted) return;
    at::Tensor& here = tensor_of(observation, 0, "dv");
    at::Tensor& there = tensor_of(observation, 3, "dv");
    std::swap(here, there);
  });
  const Verdict verdict = judge("key_order_does_not_matter", kCase, lab);
  ASSERT_TRUE(verdict.failed());
  EXPECT_EQ(verdict.evidence->tensor, "dv");
}

TEST(KeyOrder, IsNotAskedWherePlacesMatter) {
  EXPECT_FALSE(applies("key_order_does_not_matter", "impl=ring mesh=1x1 q=4 d=3 causal=1"));
  EXPECT_FALSE(applies("key_order_does_not_matter", "impl=ring mesh=1x1 q=4 kv=1 d=3"));
  EXPECT_FALSE(applies("duplicated_keys_add_log_two_to_lse", "impl=x mesh=1x1 q=4 d=3 causal=1"));
  EXPECT_FALSE(
      applies("duplicated_keys_add_log_two_to_lse", "impl=x mesh=1x1 q=4 d=3 data=selector"));
}

TEST(Cells, SeeOneBitInACellThatStays) {
  const Case c = parse_case(kCase);
  int seen = 0;
  for (int64_t b = 0; b < 2; ++b)
    for (int64_t h = 0; h < 4; ++h) {
      OracleLab lab;
      lab.plant([&](const Request& request, Observation& observation) {
        if (request.other_cells) tensor_of(observation, 2, "out")[b][0][h][1].add_(1e-15);
      });
      const Verdict verdict = judge("batch_and_head_are_independent", kCase, lab);
      EXPECT_EQ(verdict.failed(), !changed_cell(c, b, h / 2));
      if (!verdict.failed()) continue;
      ++seen;
      EXPECT_EQ(verdict.evidence->index, (std::vector<int64_t>{b, 0, h, 1}));
      EXPECT_NE(verdict.evidence->message.find("other batches or heads"), std::string::npos);
    }
  EXPECT_GE(seen, 2);
}

TEST(Cells, AreComparedWithinTheBoundWhereBitsArePromisedByNobody) {
  for (const double delta : {1e-17, 1e-9}) {
    OracleLab lab;
    lab.backend_contract.deterministic = false;
    lab.plant([&](const Request& request, Observation& observation) {
      if (request.other_cells) tensor_of(observation, 2, "dk").add_(delta);
    });
    EXPECT_EQ(judge("batch_and_head_are_independent", kCase, lab).failed(), delta > 1e-12);
  }
}

TEST(Cells, AreTwoOrMore) {
  EXPECT_FALSE(applies("batch_and_head_are_independent", "impl=ring mesh=2x1 q=4 h=4 hkv=1 d=3"));
  EXPECT_FALSE(
      applies("batch_and_head_are_independent", "impl=ring mesh=2x1 b=2 q=4 d=3 view=expanded"));
  EXPECT_TRUE(applies("batch_and_head_are_independent", "impl=ring mesh=2x1 b=2 q=4 d=3"));
}

TEST(LinearInValue, SeesWhatDoesNotMix) {
  const auto mixed = [](const Request& r) { return r.value == ValueEdit::grid_mixed; };
  for (const char* tensor : {"out", "dq", "dk"}) {
    expect_seen(with_fault("output_is_linear_in_value", kCase, tensor, 1e-12, mixed), tensor,
                "2 f(a) + f(b)");
  }
  expect_seen(with_fault("output_is_linear_in_value", kCase, "dv", 1e-12, mixed), "dv",
              "other values");
  expect_seen(with_fault("output_is_linear_in_value", kCase, "lse", 1e-15, mixed), "lse",
              "other values");
}

// A constant on out in every run: 2 + 1 of it are expected, 1 comes.
TEST(LinearInValue, SeesAConstant) {
  const auto always = [](const Request&) { return true; };
  expect_seen(with_fault("output_is_linear_in_value", kCase, "out", 1e-9, always), "out",
              "2 f(a) + f(b)");
}

constexpr const char* kShift = "shifting_keys_by_a_constant_vector_shifts_lse";

TEST(Shift, SeesEveryTensor) {
  const auto shifted = [](const Request& r) { return r.key == KeyEdit::shifted; };
  for (const char* tensor : kAll) {
    expect_seen(with_fault(kShift, std::string(kCase) + " dlse=1", tensor, 1e-11, shifted), tensor,
                "what the shift must add");
  }
}

TEST(Shift, AsksForTheGrowthOfLseAndOfDq) {
  for (const char* tensor : {"lse", "dq"}) {
    OracleLab lab;
    lab.plant([&](const Request& request, Observation& observation) {
      if (request.key != KeyEdit::shifted) return;
      Request plain = request;
      plain.key = KeyEdit::grid;
      for (RankResult& rank : observation.ranks) {
        rank.tensors[tensor] = lab.observe(plain).ranks[rank.rank].tensors.at(tensor);
      }
    });
    const Verdict verdict = judge(kShift, std::string(kCase) + " dlse=1", lab);
    ASSERT_TRUE(verdict.failed()) << tensor;
    EXPECT_EQ(verdict.evidence->tensor, tensor);
    EXPECT_GT(verdict.evidence->error, 1e-3);
  }
}

TEST(Shift, LeavesRowsWithoutKeysAsTheyAre) {
  OracleLab lab;
  EXPECT_EQ(
      judge(kShift, "impl=ring mesh=2x1 q=6 kv=4 h=2 d=3 causal=1 align=br dlse=1 seed=4", lab)
          .kind,
      Verdict::Kind::pass);
}

constexpr const char* kTwice = "duplicated_keys_add_log_two_to_lse";

TEST(Duplicates, SeeEveryTensor) {
  const auto twice = [](const Request& r) { return r.key == KeyEdit::duplicated; };
  for (const char* tensor : kAll) {
    expect_seen(with_fault(kTwice, kCase, tensor, 1e-12, twice), tensor, "ln 2");
  }
}

TEST(Duplicates, EachTakeAHalf) {
  OracleLab lab;
  lab.plant([](const Request& request, Observation& observation) {
    if (request.key != KeyEdit::duplicated) return;
    for (int rank : {0, 1}) tensor_of(observation, rank, "dk").mul_(2);
    for (int rank : {2, 3}) tensor_of(observation, rank, "dk").zero_();
  });
  const Verdict verdict = judge(kTwice, kCase, lab);
  ASSERT_TRUE(verdict.failed());
  EXPECT_EQ(verdict.evidence->tensor, "dk");
}

TEST(Duplicates, AreUnsupportedWhereTheSubjectTakesNoMoreKeys) {
  OracleLab lab;
  lab.supports_case = [](const Case& c) {
    return c.problem.kv_len <= 4 ? Support::yes() : Support::no("too many keys");
  };
  EXPECT_EQ(judge(kTwice, kCase, lab).kind, Verdict::Kind::unsupported);
}

TEST(EditedInputs, AreNotRunWhenARunFails) {
  for (const char* property : {"key_order_does_not_matter", "batch_and_head_are_independent",
                               "output_is_linear_in_value", kShift, kTwice}) {
    OracleLab lab;
    for (int rank = 0; rank < 4; ++rank) lab.fail(rank, Phase::forward, "boom");
    const Verdict verdict = judge(property, kCase, lab);
    EXPECT_EQ(verdict.kind, Verdict::Kind::not_run) << property;
    EXPECT_NE(verdict.reason.find("boom"), std::string::npos) << property;
  }
}

}  // namespace
}  // namespace attncheck
