#include "harness/drive/mutant_cases.h"

#include <algorithm>
#include <string>
#include <variant>
#include <vector>

namespace attncheck {
namespace {

constexpr int kLargestWorld = 4;
constexpr size_t kDrawnAtOnce = 8;  // so that a lane does not wait for the desk at every case

std::vector<Mesh> small_meshes(const Mesh& listed) {
  std::vector<Mesh> meshes;
  for (int world = kLargestWorld; world >= 1; --world) {
    for (const Mesh& mesh : factorisations(world)) meshes.push_back(mesh);
  }
  if (std::find(meshes.begin(), meshes.end(), listed) == meshes.end()) meshes.push_back(listed);
  return meshes;
}

StreamSpec spec_of(const Mutant& mutant, const Case& listed) {
  StreamSpec spec;
  spec.impl = "mutant:" + mutant.name;
  spec.backend = listed.backend;
  spec.transport = listed.transport;
  spec.dtype = listed.problem.dtype;
  spec.meshes = small_meshes(listed.mesh);
  if (std::holds_alternative<Collective>(mutant.subject)) spec.kind = SubjectKind::collective;
  if (std::holds_alternative<Merge>(mutant.subject)) spec.kind = SubjectKind::merge;
  if (std::holds_alternative<Model>(mutant.subject)) spec.kind = SubjectKind::model;
  if (const auto* backend = std::get_if<Backend>(&mutant.subject)) {
    spec.kind = SubjectKind::local;
    spec.lse = backend->contract.lse;
  }
  return spec;
}

}  // namespace

MutantCases::MutantCases(const Mutant& mutant, const Case& listed, uint64_t seed, LaneLab& lane,
                         DrawingDesk& desk)
    : desk_(desk) {
  desk_.run([&] {
    stream_ = std::make_unique<CaseStream>(
        spec_of(mutant, listed), [&lane](const Case& c) { return lane.lab->supports(c); }, seed);
  });
}

std::optional<Case> MutantCases::take(std::deque<std::optional<Case>>& drawn, Draw draw) {
  if (drawn.empty()) {
    desk_.run([&] {
      do {
        drawn.push_back(((*stream_).*draw)());
      } while (drawn.back() && drawn.size() < kDrawnAtOnce);
    });
  }
  std::optional<Case> c = std::move(drawn.front());
  drawn.pop_front();
  return c;
}

std::optional<Case> MutantCases::next() {
  return take(drawn_, &CaseStream::next);
}

std::optional<Case> MutantCases::next_refused() {
  return take(refused_, &CaseStream::next_refused);
}

}  // namespace attncheck
