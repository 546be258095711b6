
#include <ATen/TensorOperators.h>
#include <gtest/gtest.h>

#include "impl/backends/math.h"
#include "impl/models/catalogue.h"
#include "impl/models/drawn.h"
#include "problem/case_text.h"
#include "tests/impl/mesh_testing.h"

namespace attncheck {
namespace {

const Model& model_named(const std::string& name) {
  static const std::vector<Model> models = built_in_models();
  for (const Model& model : models) {
    if (model.name == name) return model;
  }
  throw std::out_of_range("no model " + name);
}

// All that the ranks gave: gradients and output by rank, and the sum of the losses.
struct Step {
  double loss = 0;
  std::vector<NamedTensors> tensors, replicated;
};

Step step(const std::string& name, const std::string& words) {
  const Case c = parse_case("impl=model:" + name + " " + words);
  const Backend backend = math_backend();
  Step all;
  all.tensors.resize(c.mesh.world());
  all.replicated.resize(c.mesh.world());
  testing::run_on_mesh(c.mesh, [&](const MeshGroups& groups) {
    const ModelForward forward = model_named(name).forward(c, backend, groups);
    all.loss += forward.loss.item<double>();
    all.replicated[groups.rank] = forward.replicated;
    all.tensors[groups.rank] = forward.gradients();
    all.tensors[groups.rank]["out"] = forward.out;
  });
  return all;
}

constexpr double kTolerance = 1e-11;

void expect_single(const std::string& name, const std::string& mesh, const std::string& words) {
  SCOPED_TRACE(name + " " + mesh);
  const Step single = step(name, "mesh=1x1 " + words.substr(0, words.find(" shards"))),
             sharded = step(name, "mesh=" + mesh + " " + words);
  EXPECT_NEAR(sharded.loss, single.loss, kTolerance);
  for (const NamedTensors& of_rank : sharded.tensors) {
    ASSERT_EQ(of_rank.size(), single.tensors[0].size());
    for (const auto& [tensor, want] : single.tensors[0]) {
      const double difference = (of_rank.at(tensor) - want).abs().max().item<double>();
      EXPECT_LE(difference, kTolerance * (1 + want.abs().max().item<double>())) << tensor;
    }
  }
}

constexpr const char* kMeshes[] = {"2x1", "1x2", "4x1", "1x4", "2x2"};

TEST(Models, OnAnyMeshGiveWhatOneRankGives) {
  for (const char* mesh : kMeshes) {
    expect_single("flux_like", mesh, "b=2 q=12 kv=4 h=4 d=6 seed=3");
    expect_single("wan_like", mesh, "b=2 q=12 kv=5 h=4 d=6 seed=3");
    expect_single("decoder", mesh, "b=2 q=12 h=8 hkv=4 d=6 seed=3");
  }
}

TEST(Models, DealTokensOutInEveryLayoutAndLength) {
  for (const char* name : {"flux_like", "wan_like", "decoder"}) {
    for (const char* mesh : {"2x1", "1x2", "2x2", "3x1"}) {
      expect_single(name, mesh, "q=13 h=4 d=3 seed=5 layout=zigzag");
      expect_single(name, mesh, "q=13 h=4 d=3 seed=5 layout=striped");
      expect_single(name, mesh, "q=13 h=4 d=3 seed=5");
    }
    expect_single(name, "2x2", "q=13 h=4 d=3 seed=5 shards=0,6,2,5");
  }
}

TEST(Models, HaveAGradientInEveryParameter) {
  for (const Model& model : built_in_models()) {
    const Step single = step(model.name, "mesh=1x1 b=2 q=4 h=2 d=4 seed=3");
    for (const auto& [tensor, value] : single.tensors[0]) {
      EXPECT_GT(value.abs().max().item<double>(), 1e-9) << model.name << " " << tensor;
    }
  }
}

TEST(Models, ReportWhatIsReplicatedAlikeOnAllRanks) {
  const Step sharded = step("wan_like", "mesh=2x1 q=4 kv=3 h=2 d=4 dtype=f32 seed=3");
  for (const auto& [name, tensor] : sharded.replicated[0]) {
    EXPECT_TRUE(sharded.replicated[1].at(name).equal(tensor)) << name;
  }
  for (const char* name :
       {"input text", "input conditioning", "parameter blocks.1.cross.to_k.weight"}) {
    EXPECT_TRUE(sharded.replicated[0].contains(name)) << name;
  }
}

TEST(Models, RefuseOnEveryRankWhatTheySayTheyRefuse) {
  const std::pair<const char*, const char*> refused[] = {
      {"flux_like", "mesh=2x1 q=4 shards=1,2 d=4"}, {"flux_like", "mesh=2x1 q=4 h=2 hkv=1 d=4"},
      {"wan_like", "mesh=2x1 q=4 d=4 causal=1"},    {"decoder", "mesh=2x1 q=4 kv=2 d=4"},
      {"decoder", "mesh=2x1 q=4 d=4 dv=2"},         {"decoder", "mesh=2x1 q=4 d=4 dropout=0.1"}};
  const Backend backend = math_backend();
  for (const auto& [name, words] : refused) {
    const Case c = parse_case(std::string("impl=model:") + name + " " + words);
    const Support support = model_named(name).supports(c, backend);
    ASSERT_FALSE(support.ok) << words;
    for (const auto& error : testing::errors_on_mesh(c.mesh, [&](const MeshGroups& groups) {
           model_named(name).forward(c, backend, groups);
         })) {
      ASSERT_TRUE(error.has_value()) << words;
      EXPECT_NE(error->find(support.reason), std::string::npos) << *error;
    }
  }
}

TEST(Drawn, ValuesAreExactInEveryDtypeAndDependOnNameAndSeed) {
  const at::Tensor x = drawn(3, "x", {64}, at::kDouble, 0.125);
  for (at::ScalarType dtype : {at::kFloat, at::kBFloat16, at::kHalf}) {
    EXPECT_TRUE(drawn(3, "x", {64}, dtype, 0.125).to(at::kDouble).equal(x));
  }
  EXPECT_FALSE(drawn(3, "y", {64}, at::kDouble, 0.125).equal(x));
  EXPECT_FALSE(drawn(4, "x", {64}, at::kDouble, 0.125).equal(x));
  EXPECT_GT(x.std().item<double>(), 0.08);
}

}  // namespace
}  // namespace attncheck
