#pragma once

#include <functional>
#include <string>
#include <vector>

#include "problem/case.h"

namespace attncheck {

// A part of the space of cases that a run must have visited wherever the subject supports it:
// faults are known that show nowhere else.
struct Cell {
  std::string name;
  bool of_collectives;  // whether it says anything about a collective
  std::function<bool(const Case&)> contains;
};

const std::vector<Cell>& all_cells();

// The cells that depend on the mesh alone: ring >= 3, ulysses >= 3, both >= 2. They come first in
// all_cells().
inline constexpr size_t kMeshCells = 3;

// How many of the mesh cells a mesh lies in.
int mesh_cells_of(const Mesh& mesh);

}  // namespace attncheck
