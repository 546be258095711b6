#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include <gtest/gtest.h>

#include "harness/drive/case_stream.h"
#include "harness/evaluate_rank.h"
#include "harness/process_transport.h"
#include "harness/run_lab.h"
#include "harness/sim_transport.h"
#include "problem/case_text.h"
#include "properties/compare.h"
#include "tests/harness/ranks/faulty_subjects.h"

namespace attncheck {
namespace {

constexpr int kCases = 12;  // of each implementation

std::map<std::string, std::shared_ptr<Transport>> both_transports(const Registry& registry) {
  ProcessOptions gloo;
  gloo.rank_command = {std::filesystem::read_symlink("/proc/self/exe").string()};
  const RankAnswer answer = [&registry](const std::string& request, const MeshGroups& groups) {
    return answer_request(registry, request, groups);
  };
  return {{"gloo", std::make_shared<ProcessTransport>(gloo)},
          {"sim", std::make_shared<SimTransport>(answer)}};
}

Observation run_on(const std::string& transport, Case c, RunLab& lab) {
  c.transport = transport;
  return lab.observe(base_request(c));
}

class OnBoth : public testing::TestWithParam<std::pair<const char*, const char*>> {};

// Ours add up in the order of the ranks on every transport, so even the rounding is the same.
TEST_P(OnBoth, TheSameCasesGiveTheSameBits) {
  const Registry registry = faulty_subjects();
  RunLab lab(registry, both_transports(registry));
  const auto& [impl, mesh] = GetParam();
  const StreamSpec spec{impl, "math", "gloo", DType::f64, {parse_mesh(mesh)}, registry.kind(impl),
                        true, {}};
  CaseStream stream(
      spec, [&](const Case& c) { return lab.supports(c); }, /*seed=*/1);
  for (int i = 0; i < kCases; ++i) {
    const std::optional<Case> c = stream.next();
    ASSERT_TRUE(c.has_value());
    SCOPED_TRACE(to_text(*c));
    const Observation on_sim = run_on("sim", *c, lab), on_gloo = run_on("gloo", *c, lab);
    for (const auto& [tensor, value] : on_sim.ranks.front().tensors) {
      const Verdict verdict = compare_bits(on_sim, on_gloo, tensor);
      EXPECT_EQ(verdict.kind, Verdict::Kind::pass) << tensor;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Meshes, OnBoth,
                         testing::Values(std::pair{"ring", "3x1"}, std::pair{"ulysses", "1x2"},
                                         std::pair{"unified", "2x2"},
                                         std::pair{"allgather_kv", "3x1"},
                                         std::pair{"model:flux_like", "2x1"},
                                         std::pair{"model:decoder", "2x2"}));

}  // namespace
}  // namespace attncheck
