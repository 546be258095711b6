#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/drive/draw_case.h"
#include "harness/drive/random_cases.h"
#include "harness/drive/stream_spec.h"

namespace attncheck {

struct DrawCounts {
  int64_t drawn = 0;    // cases that were drawn to be supported
  int64_t refused = 0;  // of them, those that the subject refused after all, and were drawn again
  double refused_share() const;
};

// Above this share of refused draws the generator does not know the subject: exit 3.
inline constexpr double kMostRefusedDraws = 0.10;

// One stream of drawn cases for one subject, backend, transport and dtype: the same for the same
// spec and seed. Meshes are taken in turn, those that lie in most cells first; the cells that
// depend on more than the mesh are drawn on purpose, at the beginning.
class CaseStream {
 public:
  CaseStream(StreamSpec spec, SupportsCase supports, uint64_t seed);

  // The next case that the subject supports; nullopt when there is no mesh that it does, or when no
  // draw was accepted.
  std::optional<Case> next();
  // The next case near to one of those given, taken to this stream's subject; nullopt where there
  // is none, where a cell still waits for a case, and where sizes are given. Draws of next() stay
  // what they are.
  std::optional<Case> next_near(const std::vector<Case>& closest);
  // The next case that the subject refuses, for properties about refusals.
  std::optional<Case> next_refused();

  // The requested meshes that the subject does; and what it said to the others.
  std::vector<Mesh> meshes() const;
  const std::map<std::string, std::string>& refused_meshes() const { return refused_meshes_; }

  const DrawCounts& counts() const { return counts_; }
  // Cases by cell, for the cells that some case of this stream can fill.
  std::map<std::string, int64_t> cell_counts() const;
  // The cells that could have a case and have none.
  std::vector<std::string> empty_cells() const;

 private:
  struct Place {
    Mesh mesh;
    Abilities abilities;
  };

  Case draw_once(const Place& place, Goal goal, const Pick& pick) const;
  std::optional<Case> draw(const Place& place, Goal goal);
  Case draw_near(const std::vector<Case>& closest, const Pick& pick) const;
  std::optional<Case> next_on_purpose(const Place& place);
  void look_for_cells();
  void count(const Case& c);

  StreamSpec spec_;
  SupportsCase supports_;
  RandomCases random_, near_random_, refused_random_, probe_random_;
  std::vector<Place> places_;        // meshes that the subject does
  std::vector<Place> wrong_places_;  // meshes of the same worlds that it does not
  std::map<std::string, std::string> refused_meshes_;
  std::vector<bool> required_;    // by cell
  std::vector<int64_t> visited_;  // by cell
  size_t turn_ = 0, refused_turn_ = 0;
  DrawCounts counts_;
};

}  // namespace attncheck
