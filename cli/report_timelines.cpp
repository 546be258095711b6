#include "cli/report_timelines.h"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <utility>

#include "cli/launch.h"
#include "cli/manifest.h"
#include "cli/scale_question.h"
#include "cli/session.h"
#include "harness/process_transport.h"
#include "harness/timeline/measured.h"
#include "harness/timeline/predicted.h"
#include "impl/contract/method.h"
#include "problem/case_text.h"
#include "problem/next_multiple.h"

namespace attncheck::cli {
namespace {

constexpr int kMostRanks = 8;
// A GPU's links and kernel, as `bench timeline` has them by default.
constexpr const char* kPredicted = "impl=ring mesh=2x1 q=4096 h=24 d=128 dtype=bf16 return_lse=0";
constexpr const char* kMeasured = "impl=ring mesh=2x1 q=1024 h=8 d=64 return_lse=0";

bool is_built_in(const std::string& impl) {
  for (Method method : {Method::ring, Method::ulysses, Method::unified, Method::allgather_kv}) {
    if (impl == to_text(method)) return true;
  }
  return false;
}

bool has_failure(const StreamReport& stream) {
  return std::any_of(stream.results.begin(), stream.results.end(),
                     [](const auto& result) { return result.verdict == Verdict::Kind::fail; });
}

// The stream's, with most ranks first.
std::vector<Mesh> meshes_of(const StreamSpec& spec) {
  std::vector<Mesh> meshes;
  for (const Mesh& mesh : spec.meshes) {
    if (mesh.world() > 1 && mesh.world() <= kMostRanks) meshes.push_back(mesh);
  }
  std::stable_sort(meshes.begin(), meshes.end(),
                   [](const Mesh& a, const Mesh& b) { return a.world() > b.world(); });
  return meshes;
}

Case case_of(const char* text, const StreamSpec& spec, const Mesh& mesh) {
  Case c = parse_case(text);
  c.impl = spec.impl;
  c.mesh = mesh;
  c.problem.q_len = c.problem.kv_len = next_multiple(c.problem.q_len, mesh.world());
  return c;
}

std::optional<timeline::Trace> predicted(const StreamSpec& spec) {
  if (!is_built_in(spec.impl)) return std::nullopt;
  for (const Mesh& mesh : meshes_of(spec)) {
    const Case c = case_of(kPredicted, spec, mesh);
    if (!timeline::can_predict(program_registry(), c)) continue;
    return timeline::predicted(program_registry(), c, machine_of(ScaleArguments{}));
  }
  return std::nullopt;
}

std::optional<timeline::Trace> measured(const StreamSpec& spec, Transport& gloo) {
  for (const Mesh& mesh : meshes_of(spec)) {
    Case c = case_of(kMeasured, spec, mesh);
    c.transport = spec.transport;
    c.backend = spec.backend;
    c.problem.dtype = spec.dtype;
    if (!timeline::can_measure(program_registry(), c)) continue;
    return timeline::measured(gloo, c);
  }
  return std::nullopt;
}

bool has_ranks_here(const StreamSpec& spec, const Transport& gloo) {
  return spec.transport == "gloo" && gloo.device() == "cpu" && !launched_world();
}

std::optional<timeline::Trace> timeline_of(const StreamReport& stream, Transport& gloo) {
  const StreamSpec& spec = stream.spec;
  if (spec.kind != SubjectKind::implementation) return std::nullopt;
  try {
    if (spec.transport == "sim") return predicted(spec);
    if (has_ranks_here(spec, gloo) && !has_failure(stream)) return measured(spec, gloo);
  } catch (const std::exception&) {  // a report without its picture is a report
  }
  return std::nullopt;
}

}  // namespace

std::vector<timeline::Trace> report_timelines(const CheckReport& report,
                                              const RankArguments& ranks) {
  ProcessTransport gloo(process_options("gloo", ranks, ""));  // its ranks start when one is asked
  std::vector<timeline::Trace> traces;
  std::set<std::pair<std::string, std::string>> shown;
  for (const StreamReport& stream : report.streams) {
    if (shown.contains({stream.spec.impl, stream.spec.transport})) continue;
    std::optional<timeline::Trace> trace = timeline_of(stream, gloo);
    if (!trace) continue;
    shown.insert({stream.spec.impl, stream.spec.transport});
    traces.push_back(std::move(*trace));
  }
  return traces;
}

}  // namespace attncheck::cli
