#pragma once

#include <string>
#include <vector>

namespace attncheck::sim {

// A group's ranks of the world, in the group's order.
struct Members {
  std::vector<int> ranks;
  std::string name;

  int size() const { return static_cast<int>(ranks.size()); }
  // The position of a rank of the world, -1 if it is no member.
  int group_rank(int world_rank) const;
  // "group [0,1]", "group ring [0..63]"
  std::string text() const;
  bool operator<(const Members& other) const;
};

// "rank 1 posts", "ranks 0,2 post".
std::string ranks_that(const std::vector<int>& ranks, const std::string& verb);

// "0,1", "4,0", and "0..63" for three or more neighbours in ascending order.
std::string list_ranks(const std::vector<int>& ranks);

}  // namespace attncheck::sim
