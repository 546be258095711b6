#include "impl/sharding/plan.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <gtest/gtest.h>

#include "tests/impl/mesh_testing.h"

namespace attncheck {
namespace {

// Doubles its first input and returns the second as it is.
class Doubles : public HookedModule {
 public:
  Doubles() : HookedModule({{{"x", 2}, {"y", 1}}, {{"twice", 2}, {"y", 1}}}) {}

 private:
  Tensors run(const Tensors& inputs) override { return {inputs[0] * 2, inputs[1]}; }
};

class Plain : public torch::nn::Module {};

class Root : public HookedModule {
 public:
  Root() : HookedModule({{{"x", 2}, {"y", 1}}, {{"x", 2}, {"y", 1}}}) {
    inner = register_module("inner", std::make_shared<Doubles>());
    register_module("plain", std::make_shared<Plain>());
  }
  std::shared_ptr<Doubles> inner;

 private:
  Tensors run(const Tensors& inputs) override { return (*inner)(inputs); }
};

Plan good_plan() {
  Plan plan;
  plan[""].split_inputs = {{0, 1, "tokens"}, {1, 0, "tokens"}};
  plan["inner"].gather_outputs = {{0, 1, "tokens"}};
  return plan;
}

Tensors inputs(int64_t tokens) {
  return {at::arange(2 * tokens, at::kDouble).view({2, tokens}), at::arange(tokens, at::kDouble)};
}

TEST(Plan, SplitsInputsAndGathersOutputsByTheNamesOfModules) {
  testing::run_on_mesh(parse_mesh("2x1"), [](const MeshGroups& groups) {
    const auto root = std::make_shared<Root>();
    int64_t seen = 0;
    root->inner->before([&](const Tensors& x) { seen = x[0].size(1); });
    apply_plan(*root, good_plan(), {{"tokens", {{2, 3}, {}}}}, keep(groups.world));
    const Tensors out = (*root)(inputs(5));
    EXPECT_EQ(seen, groups.rank == 0 ? 2 : 3);
    EXPECT_TRUE(out[0].equal(inputs(5)[0] * 2));
    EXPECT_TRUE(out[1].equal(inputs(5)[1].narrow(0, groups.rank * 2, seen)));
  });
}

TEST(Plan, SplitsOutputs) {
  testing::run_on_mesh(parse_mesh("2x1"), [](const MeshGroups& groups) {
    const auto root = std::make_shared<Root>();
    Plan plan;
    plan["inner"].split_outputs = {{0, 1, "tokens"}, {1, 0, "tokens"}};
    apply_plan(*root, plan, {{"tokens", {{1, 3}, {}}}}, keep(groups.world));
    const Tensors out = (*root)(inputs(4));
    EXPECT_TRUE(out[0].equal((inputs(4)[0] * 2).narrow(1, groups.rank, 1 + 2 * groups.rank)));
    EXPECT_EQ(out[1].size(0), 1 + 2 * groups.rank);
  });
}

TEST(Plan, DealsTokensOutInAnyOrderAndGathersThemInTheirOwn) {
  testing::run_on_mesh(parse_mesh("2x1"), [](const MeshGroups& groups) {
    const auto root = std::make_shared<Root>();
    at::Tensor seen;
    root->inner->before([&](const Tensors& x) { seen = x[1]; });
    apply_plan(*root, good_plan(), {{"tokens", {{2, 3}, {0, 4, 3, 1, 2}}}}, keep(groups.world));
    const Tensors out = (*root)(inputs(5));
    EXPECT_TRUE(out[0].equal(inputs(5)[0] * 2));
    EXPECT_EQ(seen[0].item<double>(), groups.rank == 0 ? 0 : 3);
    EXPECT_EQ(seen[1].item<double>(), groups.rank == 0 ? 4 : 1);
  });
}

// Every rank throws, and says all of these; nothing is sent, or a rank would wait.
void expect_refused(const Plan& plan, const Sequences& sequences,
                    const std::vector<std::string>& says) {
  const auto errors = testing::errors_on_mesh(parse_mesh("2x1"), [&](const MeshGroups& groups) {
    const auto root = std::make_shared<Root>();
    apply_plan(*root, plan, sequences, keep(groups.world));
    (*root)(inputs(4));
  });
  for (const auto& error : errors) {
    ASSERT_TRUE(error.has_value());
    for (const std::string& text : says) {
      EXPECT_NE(error->find(text), std::string::npos) << *error;
    }
  }
}

Plan with_cut(const std::string& module, const Cut& cut) {
  Plan plan;
  plan[module].split_inputs = {cut};
  return plan;
}

const Sequences kTokens{{"tokens", {{2, 2}, {}}}};

TEST(Plan, RefusesAModuleThatIsNotThereByName) {
  expect_refused(with_cut("iner", {0, 1, "tokens"}), kTokens,
                 {"module 'iner'", "did you mean 'inner'", "'plain'"});
}

TEST(Plan, RefusesAModuleWithoutHooks) {
  expect_refused(with_cut("plain", {0, 1, "tokens"}), kTokens, {"'plain'", "takes no hooks"});
}

TEST(Plan, RefusesAnInputThatTheModuleLacks) {
  expect_refused(with_cut("inner", {2, 1, "tokens"}), kTokens,
                 {"input 2 of module 'inner'", "has 2: 'x', 'y'"});
}

TEST(Plan, RefusesAnAxisOutOfRange) {
  expect_refused(with_cut("inner", {1, 1, "tokens"}), kTokens,
                 {"input 1 ('y') of module 'inner' along axis 1", "it has 1 axes"});
}

TEST(Plan, RefusesASequenceWithoutLengths) {
  expect_refused(with_cut("", {0, 1, "token"}), kTokens, {"'token'", "did you mean 'tokens'"});
  expect_refused(with_cut("", {0, 1, "tokens"}), {{"tokens", {{4}, {}}}},
                 {"'tokens' has 1 lengths of shards for 2 ranks"});
}

TEST(Plan, RefusesAnOrderThatLacksATokenOrHasOneTwice) {
  for (const std::vector<int64_t>& order : {std::vector<int64_t>{0, 1, 2}, {0, 1, 1, 3}}) {
    expect_refused(with_cut("", {0, 1, "tokens"}), {{"tokens", {{2, 2}, order}}},
                   {"the order of the sequence 'tokens' does not have each of its 4 places once"});
  }
}

TEST(Plan, RefusesALengthThatDoesNotFit) {
  expect_refused(with_cut("", {0, 1, "tokens"}), {{"tokens", {{2, 3}, {}}}},
                 {"input 0 ('x') of module ''", "[2, 4]", "'tokens' has 5 along axis 1"});
}

TEST(Plan, RefusesToGatherWhatIsNotSplit) {
  Plan plan;
  plan["inner"].gather_outputs = {{0, 1, "tokens"}};
  expect_refused(plan, kTokens, {"gathers output 0 ('twice') of module 'inner'", "splits nowhere"});
}

TEST(HookedModule, RefusesAnotherNumberOfTensors) {
  Root root;
  EXPECT_THROW(root({at::arange(3)}), std::exception);
}

}  // namespace
}  // namespace attncheck
