#include "sim/members.h"

#include <algorithm>
#include <tuple>

namespace attncheck::sim {

namespace {

constexpr size_t kShortestRange = 3;

size_t range_end(const std::vector<int>& ranks, size_t begin) {
  size_t end = begin + 1;
  while (end < ranks.size() && ranks[end] == ranks[end - 1] + 1) ++end;
  return end - begin >= kShortestRange ? end : begin + 1;
}

}  // namespace

std::string list_ranks(const std::vector<int>& ranks) {
  std::string text;
  for (size_t begin = 0; begin < ranks.size();) {
    const size_t end = range_end(ranks, begin);
    if (!text.empty()) text += ",";
    text += std::to_string(ranks[begin]);
    if (end - begin > 1) text += ".." + std::to_string(ranks[end - 1]);
    begin = end;
  }
  return text;
}

std::string ranks_that(const std::vector<int>& ranks, const std::string& verb) {
  const bool one = ranks.size() == 1;
  return (one ? "rank " : "ranks ") + list_ranks(ranks) + " " + verb + (one ? "s" : "");
}

int Members::group_rank(int world_rank) const {
  const auto found = std::find(ranks.begin(), ranks.end(), world_rank);
  return found == ranks.end() ? -1 : static_cast<int>(found - ranks.begin());
}

std::string Members::text() const {
  return "group " + (name.empty() ? "" : name + " ") + "[" + list_ranks(ranks) + "]";
}

bool Members::operator<(const Members& other) const {
  return std::tie(ranks, name) < std::tie(other.ranks, other.name);
}

}  // namespace attncheck::sim
