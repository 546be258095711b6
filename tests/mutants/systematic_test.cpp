#include "mutants/systematic/systematic.h"

#include <map>
#include <set>

#include <gtest/gtest.h>

#include "impl/backends/math.h"
#include "problem/case_text.h"
#include "tests/impl/mesh_testing.h"
#include "tests/impl/problems_testing.h"
#include "tests/mutants/mutant_testing.h"

namespace attncheck {

// Where gtest looks for it.
void PrintTo(const AppliedOperator& applied, std::ostream* out) {
  *out << applied.name();
}

namespace {

using testing::Outcome;

bool raises(const Outcome& got) {
  for (const std::string& error : got.errors) {
    if (!error.empty()) return true;
  }
  return false;
}

bool names(const std::string& wrong, const char* part) {
  return wrong.find(part) != std::string::npos;
}

// Whether the mutant is one of a value, and not of what it does beside it.
bool shows_in_values(const AppliedOperator& applied) {
  return applied.reach.property != "inputs_are_not_modified";
}

// Whether a rank of the mesh objects, and nobody gets as far as to a wrong value.
bool shows_in_errors(const AppliedOperator& applied) {
  return applied.reach.property == "collectives_match_on_all_ranks";
}

std::string test_name_of(const ::testing::TestParamInfo<AppliedOperator>& info) {
  return info.param.name();
}

class SystematicMutant : public ::testing::TestWithParam<AppliedOperator> {};

// In forward alone, out or lse; in backward alone, neither of them.
TEST_P(SystematicMutant, IsWrongOnItsSmallestCaseInItsPhase) {
  const AppliedOperator& applied = GetParam();
  if (!shows_in_values(applied)) return;
  const Outcome got = testing::outcome(applied.name(), applied.smallest());
  const bool of_forward = names(got.wrong, "out") || names(got.wrong, "lse");
  const bool of_backward =
      names(got.wrong, "dq") || names(got.wrong, "dk") || names(got.wrong, "dv");
  EXPECT_EQ(raises(got), shows_in_errors(applied));
  if (!applied.reach.equivalent.empty()) {
    EXPECT_EQ(got.wrong, "");
  } else if (applied.phase == Phase::backward) {
    EXPECT_FALSE(of_forward) << got.wrong;
    EXPECT_TRUE(of_backward || raises(got));
  } else {
    EXPECT_TRUE(of_forward || raises(got));
  }
}

TEST_P(SystematicMutant, IsRightWhereItsOperatorDoesNoHarm) {
  const std::string words = GetParam().harmless();
  if (words.empty()) return;
  const Outcome got = testing::outcome(GetParam().name(), words);
  EXPECT_EQ(got.wrong, "") << words;
  for (const std::string& error : got.errors) EXPECT_EQ(error, "") << words;
}

INSTANTIATE_TEST_SUITE_P(All, SystematicMutant, ::testing::ValuesIn(applied_operators()),
                         test_name_of);

TEST(SystematicMutants, AreOneForEachOperatorMethodAndPhase) {
  std::set<std::string> names;
  for (const AppliedOperator& applied : applied_operators()) names.insert(applied.name());
  EXPECT_EQ(names.size(), applied_operators().size());
  EXPECT_GE(names.size(), 120);
}

// Of the four methods each has some in either pass.
TEST(SystematicMutants, ReachEveryMethodInEveryPhase) {
  std::map<std::pair<Method, Phase>, int> count;
  for (const AppliedOperator& applied : applied_operators()) {
    ++count[{applied.method, applied.phase}];
  }
  for (const Method method :
       {Method::ring, Method::ulysses, Method::unified, Method::allgather_kv}) {
    for (const Phase phase : {Phase::forward, Phase::backward, Phase::both}) {
      EXPECT_GT((count[{method, phase}]), 0) << to_text(method) << " " << to_text(phase);
    }
  }
}

struct Call {
  at::Tensor k, grad_out;
};

// What is left of the caller's k and of its incoming gradient.
Call after_a_call(const std::string& name, const Call& before) {
  static const Backend backend = math_backend();
  Call after{before.k.clone().requires_grad_(true), before.grad_out.clone()};
  const auto implementation = std::get<Implementation>(testing::mutant(name).subject);
  testing::run_on_mesh(parse_mesh("1x1"), [&](const MeshGroups& groups) {
    AttentionOptions options;
    options.backend = &backend;
    options.q_len = options.kv_len = before.k.size(1);
    const at::Tensor q = testing::normal(before.k.sizes().vec(), 7);
    const Attention got = implementation.attention(q, after.k, q, options, groups);
    testing::gradients({got.out}, {after.k}, {after.grad_out});
  });
  return {after.k.detach(), after.grad_out};
}

TEST(SystematicMutants, WriteToTheCallersTensorsWhereTheySayThatTheyDo) {
  const Call before{testing::normal({1, 2, 1, 4}, 1), testing::normal({1, 2, 1, 4}, 2)};
  for (const char* method : {"ring", "ulysses", "unified", "allgather_kv"}) {
    const std::string prefix = std::string("sys_") + method;
    const Call of_k = after_a_call(prefix + "_writes_to_k_forward", before);
    EXPECT_TRUE(of_k.k.equal(before.k * 0.5)) << method;
    EXPECT_TRUE(of_k.grad_out.equal(before.grad_out)) << method;
    const Call of_grad = after_a_call(prefix + "_writes_to_grad_out_backward", before);
    EXPECT_TRUE(of_grad.k.equal(before.k)) << method;
    EXPECT_TRUE(of_grad.grad_out.equal(before.grad_out * 0.5)) << method;
  }
}

}  // namespace
}  // namespace attncheck
