#include "problem/mesh.h"

#include <charconv>
#include <stdexcept>

namespace attncheck {
namespace {

bool parse_degree(const char* first, const char* last, int& degree) {
  const auto [end, error] = std::from_chars(first, last, degree);
  return error == std::errc() && end == last && degree >= 1 && degree <= kLargestDegree;
}

}  // namespace

int Mesh::rank(int ring_index, int ulysses_index) const {
  return order == MeshOrder::ru ? ring_index * ulysses + ulysses_index
                                : ulysses_index * ring + ring_index;
}

std::vector<int> Mesh::ring_members(int of) const {
  std::vector<int> members;
  for (int r = 0; r < ring; ++r) members.push_back(rank(r, ulysses_index(of)));
  return members;
}

std::vector<int> Mesh::ulysses_members(int of) const {
  std::vector<int> members;
  for (int u = 0; u < ulysses; ++u) members.push_back(rank(ring_index(of), u));
  return members;
}

std::vector<int> Mesh::world_members() const {
  std::vector<int> members;
  for (int r = 0; r < world(); ++r) members.push_back(r);
  return members;
}

std::string to_text(const Mesh& mesh) {
  return std::to_string(mesh.ring) + "x" + std::to_string(mesh.ulysses);
}

Mesh parse_mesh(const std::string& text) {
  Mesh mesh;
  const size_t cross = text.find('x');
  const char* begin = text.data();
  if (cross == std::string::npos || !parse_degree(begin, begin + cross, mesh.ring) ||
      !parse_degree(begin + cross + 1, begin + text.size(), mesh.ulysses)) {
    throw std::invalid_argument(
        "mesh '" + text + "' is not RxU (ring degree x Ulysses degree, each 1 to 4096), e.g. 2x2");
  }
  return mesh;
}

std::vector<Mesh> factorisations(int world) {
  std::vector<Mesh> meshes;
  for (int ring = world; ring >= 1; --ring) {
    if (world % ring == 0) meshes.push_back({ring, world / ring});
  }
  return meshes;
}

}  // namespace attncheck
