
#include <ATen/TensorOperators.h>
#include <gtest/gtest.h>

#include "impl/backends/math.h"
#include "problem/case_text.h"
#include "tests/impl/mesh_testing.h"
#include "tests/mutants/mutant_testing.h"

namespace attncheck {
namespace {

// What one rank gave: gradients, and "out".
using Results = std::vector<NamedTensors>;

Results results(const std::string& name, const std::string& words) {
  const Case c = parse_case("impl=mutant:" + name + " " + words);
  const Model model = std::get<Model>(testing::mutant(name).subject);
  const Backend backend = math_backend();
  Results all(c.mesh.world());
  testing::run_on_mesh(c.mesh, [&](const MeshGroups& groups) {
    const ModelForward forward = model.forward(c, backend, groups);
    all[groups.rank] = forward.gradients();
    all[groups.rank]["out"] = forward.out;
    all[groups.rank]["conditioning"] = forward.replicated.contains("input conditioning")
                                           ? forward.replicated.at("input conditioning")
                                           : at::Tensor();
  });
  return all;
}

// The largest difference of a tensor on any rank from `factor` times that of the one rank.
double largest_difference(const Results& got, const Results& single, const std::string& tensor,
                          double factor) {
  double most = 0;
  for (const NamedTensors& rank : got) {
    const at::Tensor want = single[0].at(tensor) * factor;
    most = std::max(most, (rank.at(tensor) - want).abs().max().item<double>());
  }
  return most;
}

constexpr const char* kSizes = " b=2 q=8 h=4 d=4 seed=3";
constexpr double kNone = 1e-12;

void expect_factor(const std::string& name, const std::string& mesh, double factor) {
  const Results single = results(name, "mesh=1x1" + std::string(kSizes)),
                got = results(name, "mesh=" + mesh + kSizes);
  EXPECT_LE(largest_difference(got, single, "out", 1), kNone);
  for (const char* parameter : {"embedding", "blocks.0.heads.to_k.weight", "head_out.weight"}) {
    EXPECT_LE(largest_difference(got, single, parameter, factor), kNone) << parameter;
    EXPECT_GT(largest_difference(got, single, parameter, 1), 1e-6) << parameter;
  }
}

TEST(ModelMutants, AverageTheirGradients) {
  expect_factor("A14", "2x1", 0.5);
  expect_factor("A14", "2x2", 0.25);
}

TEST(ModelMutants, MultiplyTheirGradientsByTheRanks) {
  expect_factor("house_gradients_times_ranks", "1x4", 4);
}

TEST(ModelMutants, TurnTheirTokensAsIfTheirShardWereTheFirst) {
  const Results single = results("C15", "mesh=1x1" + std::string(kSizes)),
                got = results("C15", "mesh=2x1" + std::string(kSizes));
  EXPECT_GT(largest_difference(got, single, "out", 1), 1e-6);
  const std::string without_pairs = " b=2 q=8 h=4 d=1 seed=3";
  EXPECT_LE(largest_difference(results("C15", "mesh=2x1" + without_pairs),
                               results("C15", "mesh=1x1" + without_pairs), "out", 1),
            kNone);
}

TEST(ModelMutants, GatherInASplitsBackwardWhatIsSummedAfterwards) {
  const Results single =
                    results("house_split_gathers_its_gradient", "mesh=1x1" + std::string(kSizes)),
                got = results("house_split_gathers_its_gradient",
                              "mesh=2x1 layout=zigzag" + std::string(kSizes));
  EXPECT_LE(largest_difference(got, single, "out", 1), kNone);
  EXPECT_LE(largest_difference(got, single, "blocks.0.self.to_k.weight", 1), kNone);
  EXPECT_LE(largest_difference(got, single, "patch_in.weight", 2), kNone);
}

TEST(ModelMutants, KeepTheirSliceOfAGathersGradient) {
  const std::string name = "house_hook_keeps_its_slice";
  const Results single = results(name, "mesh=1x1" + std::string(kSizes)),
                got = results(name, "mesh=2x1" + std::string(kSizes));
  EXPECT_LE(largest_difference(got, single, "out", 1), kNone);
  EXPECT_GT(largest_difference(got, single, "proj_out.weight", 1), 1e-6);
}

TEST(ModelMutants, DrawTheirConditioningByRank) {
  const Results got = results("house_conditioning_by_rank", "mesh=2x1" + std::string(kSizes));
  EXPECT_FALSE(got[0].at("conditioning").equal(got[1].at("conditioning")));
}

}  // namespace
}  // namespace attncheck
