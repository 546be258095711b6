#include "harness/drive/case_stream.h"

#include <algorithm>
#include <array>

#include "harness/drive/cells.h"
#include "harness/drive/near_case.h"
#include "harness/drive/shape_case.h"
#include "problem/case_text.h"

namespace attncheck {
namespace {

constexpr int kRedraws = 50;
constexpr int kDrawsOnPurpose = 8;  // for a cell that a goal leads to, but not always
constexpr int kProbes = 4;  // draws on one mesh that must all fail before a cell counts as closed

// By cell of all_cells(): how to draw into it. The mesh cells need no goal.
constexpr std::array<Goal, 14> kGoals{
    Goal::any,    Goal::any,      Goal::any,    Goal::other_kv_len, Goal::all_equal,
    Goal::view,   Goal::large,    Goal::zigzag, Goal::striped,      Goal::uneven,
    Goal::masked, Goal::windowed, Goal::packed, Goal::joint};

bool contains(const std::vector<Mesh>& meshes, const Mesh& mesh) {
  return std::find(meshes.begin(), meshes.end(), mesh) != meshes.end();
}

}  // namespace

bool needs_backend(SubjectKind kind) {
  return kind == SubjectKind::implementation || kind == SubjectKind::local ||
         kind == SubjectKind::model;
}

std::string stream_name(const StreamSpec& spec) {
  const std::string backend = needs_backend(spec.kind) ? " on " + spec.backend : "";
  return spec.impl + backend + ", " + spec.transport + ", " + to_text(spec.dtype);
}

double DrawCounts::refused_share() const {
  return drawn == 0 ? 0.0 : static_cast<double>(refused) / static_cast<double>(drawn);
}

CaseStream::CaseStream(StreamSpec spec, SupportsCase supports, uint64_t seed)
    : spec_(std::move(spec)),
      supports_(std::move(supports)),
      random_(seed, stream_name(spec_)),
      near_random_(seed, stream_name(spec_) + ", near"),
      refused_random_(seed, stream_name(spec_) + ", refused"),
      probe_random_(seed, stream_name(spec_) + ", probes"),
      required_(all_cells().size(), false),
      visited_(all_cells().size(), 0) {
  std::stable_sort(spec_.meshes.begin(), spec_.meshes.end(), [](const Mesh& a, const Mesh& b) {
    return mesh_cells_of(a) > mesh_cells_of(b);
  });
  for (const Mesh& mesh : spec_.meshes) {
    Place place{mesh, ask_abilities(spec_, mesh, supports_)};
    if (!place.abilities.plain) refused_meshes_[to_text(mesh)] = place.abilities.plain.reason;
    (place.abilities.plain ? places_ : wrong_places_).push_back(std::move(place));
  }
  for (const Mesh& asked : spec_.meshes) {
    for (const Mesh& mesh : factorisations(asked.world())) {
      if (contains(spec_.meshes, mesh)) continue;
      Place place{mesh, ask_abilities(spec_, mesh, supports_)};
      if (!place.abilities.plain) wrong_places_.push_back(std::move(place));
    }
  }
  look_for_cells();
}

std::vector<Mesh> CaseStream::meshes() const {
  std::vector<Mesh> meshes;
  for (const Place& place : places_) meshes.push_back(place.mesh);
  return meshes;
}

// Where the sizes are given, the meshes take turns for one of them, then for the next.
Case CaseStream::draw_once(const Place& place, Goal goal, const Pick& pick) const {
  if (spec_.shapes.empty()) return draw_case(spec_, place.mesh, place.abilities, goal, pick);
  const size_t round = turn_ == 0 ? 0 : (turn_ - 1) / places_.size();
  const Problem& shape = spec_.shapes[round % spec_.shapes.size()];
  return shape_case(spec_, place.mesh, place.abilities, shape, pick);
}

// A cell is open when a case in it is found that the subject supports. Of given sizes only the mesh
// is anybody's choice.
void CaseStream::look_for_cells() {
  const size_t cells = spec_.shapes.empty() ? all_cells().size() : kMeshCells;
  for (size_t cell = 0; cell < cells; ++cell) {
    if (spec_.kind == SubjectKind::merge) continue;
    if (spec_.kind == SubjectKind::collective && !all_cells()[cell].of_collectives) continue;
    for (const Place& place : places_) {
      for (int i = 0; i < kProbes && !required_[cell]; ++i) {
        const Case c = probe_random_.next(
            [&](const Pick& pick) { return draw_once(place, kGoals[cell], pick); });
        required_[cell] = all_cells()[cell].contains(c) && supports_(c);
      }
    }
  }
}

std::optional<Case> CaseStream::draw(const Place& place, Goal goal) {
  for (int i = 0; i < kRedraws; ++i) {
    const Case c = random_.next([&](const Pick& pick) { return draw_once(place, goal, pick); });
    ++counts_.drawn;
    if (supports_(c)) return c;
    ++counts_.refused;
  }
  return std::nullopt;
}

// A case for the first cell that has none yet, where this mesh can fill it.
std::optional<Case> CaseStream::next_on_purpose(const Place& place) {
  for (size_t cell = kMeshCells; cell < all_cells().size(); ++cell) {
    if (!required_[cell] || visited_[cell] > 0) continue;
    for (int i = 0; i < kDrawsOnPurpose; ++i) {
      const std::optional<Case> c = draw(place, kGoals[cell]);
      if (c && all_cells()[cell].contains(*c)) return c;
    }
  }
  return std::nullopt;
}

std::optional<Case> CaseStream::next() {
  if (places_.empty()) return std::nullopt;
  const Place& place = places_[turn_++ % places_.size()];
  std::optional<Case> c = next_on_purpose(place);
  if (!c) c = draw(place, Goal::any);
  if (c) count(*c);
  return c;
}

// On the closest call's own mesh where it is one of this stream's.
Case CaseStream::draw_near(const std::vector<Case>& closest, const Pick& pick) const {
  Case c = closest[pick(closest.size())];
  auto place = std::find_if(places_.begin(), places_.end(), [&](const Place& p) {
    return p.mesh.ring == c.mesh.ring && p.mesh.ulysses == c.mesh.ulysses;
  });
  if (place == places_.end()) {
    place = places_.begin() + pick(places_.size());
    c.mesh = place->mesh;
    c.problem.shards.clear();
  }
  c.impl = spec_.impl;
  c.backend = spec_.backend;
  c.transport = spec_.transport;
  c.problem.dtype = spec_.dtype;
  c.return_lse = c.return_lse && spec_.lse;
  return near_case(c, spec_.kind, place->abilities, pick);
}

std::optional<Case> CaseStream::next_near(const std::vector<Case>& closest) {
  const bool possible = !places_.empty() && !closest.empty() && spec_.shapes.empty();
  if (!possible || !empty_cells().empty()) return std::nullopt;
  for (int i = 0; i < kRedraws; ++i) {
    const Case c = near_random_.next([&](const Pick& pick) { return draw_near(closest, pick); });
    if (!supports_(c)) continue;
    count(c);
    return c;
  }
  return std::nullopt;
}

std::optional<Case> CaseStream::next_refused() {
  for (int i = 0; i < kRedraws; ++i) {
    const size_t turn = refused_turn_++;
    const bool wrong_mesh = places_.empty() || (!wrong_places_.empty() && turn % 4 == 3);
    const std::vector<Place>& places = wrong_mesh ? wrong_places_ : places_;
    if (places.empty()) return std::nullopt;
    const Place& place = places[(turn + turn / 4) % places.size()];
    std::optional<Case> c;
    refused_random_.next([&](const Pick& pick) {
      c = draw_refused_case(spec_, place.mesh, place.abilities, pick);
      return c.value_or(Case{});
    });
    if (c && !supports_(*c)) return c;
  }
  return std::nullopt;
}

void CaseStream::count(const Case& c) {
  for (size_t cell = 0; cell < all_cells().size(); ++cell) {
    if (all_cells()[cell].contains(c)) ++visited_[cell];
  }
}

std::map<std::string, int64_t> CaseStream::cell_counts() const {
  std::map<std::string, int64_t> counts;
  for (size_t cell = 0; cell < all_cells().size(); ++cell) {
    if (required_[cell]) counts[all_cells()[cell].name] = visited_[cell];
  }
  return counts;
}

std::vector<std::string> CaseStream::empty_cells() const {
  std::vector<std::string> empty;
  for (size_t cell = 0; cell < all_cells().size(); ++cell) {
    if (required_[cell] && visited_[cell] == 0) empty.push_back(all_cells()[cell].name);
  }
  return empty;
}

}  // namespace attncheck
