#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace attncheck {

// Which axis of the mesh is the outer one: with `ru` rank = ring_index * U + ulysses_index, with
// `ur` rank = ulysses_index * R + ring_index.
enum class MeshOrder { ru, ur };

// Of either axis.
inline constexpr int kLargestDegree = 4096;

// R x U ranks, written `RxU`: ring degree R, Ulysses degree U.
struct Mesh {
  int ring = 1;
  int ulysses = 1;
  MeshOrder order = MeshOrder::ru;

  int world() const { return ring * ulysses; }
  int ring_index(int rank) const { return order == MeshOrder::ru ? rank / ulysses : rank % ring; }
  int ulysses_index(int rank) const {
    return order == MeshOrder::ru ? rank % ulysses : rank / ring;
  }
  int rank(int ring_index, int ulysses_index) const;

  // The ranks of the ring that `rank` belongs to, by ring index; likewise of its Ulysses group.
  std::vector<int> ring_members(int rank) const;
  std::vector<int> ulysses_members(int rank) const;
  std::vector<int> world_members() const;

  bool operator==(const Mesh&) const = default;
};

std::string to_text(const Mesh& mesh);  // "2x3", whatever the order

// Reads "RxU", both from 1 to 4096. Throws std::invalid_argument that says what came and what is
// expected.
Mesh parse_mesh(const std::string& text);

// Every mesh with the same number of ranks, ring degree descending.
std::vector<Mesh> factorisations(int world);

}  // namespace attncheck
