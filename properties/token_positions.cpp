#include "properties/token_positions.h"

#include <algorithm>
#include <numeric>

namespace attncheck {
namespace {

// The tokens [begin, end) of run `index` out of `runs` runs of `length` tokens; the first
// `length % runs` runs are one token longer.
std::pair<int64_t, int64_t> run_of(int64_t length, int64_t runs, int64_t index) {
  const int64_t base = length / runs, longer = length % runs;
  const int64_t begin = index * base + std::min(index, longer);
  return {begin, begin + base + (index < longer ? 1 : 0)};
}

void append(std::vector<int64_t>& positions, std::pair<int64_t, int64_t> run) {
  for (int64_t p = run.first; p < run.second; ++p) positions.push_back(p);
}

bool has_lengths_for(const Problem& problem, int64_t length) {
  return !problem.shards.empty() &&
         std::accumulate(problem.shards.begin(), problem.shards.end(), int64_t{0}) == length;
}

std::pair<int64_t, int64_t> contiguous_run(const Problem& problem, int64_t length, int world,
                                           int rank) {
  if (!has_lengths_for(problem, length)) return run_of(length, world, rank);
  const auto first = problem.shards.begin();
  const int64_t begin = std::accumulate(first, first + rank, int64_t{0});
  return {begin, begin + problem.shards[rank]};
}

std::vector<int64_t> held_positions(const Case& c, int64_t length, int rank) {
  const Joint& joint = c.problem.joint;
  const int64_t others = length - joint.tokens;
  std::vector<int64_t> held = shard_positions(c.problem, others, c.mesh.world(), rank);
  std::vector<int64_t> positions;
  if (joint.place == JointPlace::front) {
    append(positions, {0, joint.tokens});
    for (int64_t& position : held) position += joint.tokens;
  }
  positions.insert(positions.end(), held.begin(), held.end());
  if (joint.place == JointPlace::rear) append(positions, {others, length});
  return positions;
}

}  // namespace

std::vector<int64_t> shard_positions(const Problem& problem, int64_t length, int world, int rank) {
  std::vector<int64_t> positions;
  switch (problem.layout) {
    case Layout::contiguous:
      append(positions, contiguous_run(problem, length, world, rank));
      break;
    case Layout::zigzag:
      append(positions, run_of(length, 2 * world, rank));
      append(positions, run_of(length, 2 * world, 2 * world - 1 - rank));
      break;
    case Layout::striped:
      for (int64_t p = rank; p < length; p += world) positions.push_back(p);
      break;
  }
  return positions;
}

std::vector<int64_t> q_positions(const Case& c, int rank) {
  return held_positions(c, c.problem.q_len, rank);
}

std::vector<int64_t> kv_positions(const Case& c, int rank) {
  return held_positions(c, c.problem.kv_len, rank);
}

bool is_joint(const Problem& problem, int64_t length, int64_t position) {
  const Joint& joint = problem.joint;
  return joint.place == JointPlace::front ? position < joint.tokens
                                          : position >= length - joint.tokens;
}

bool owns_query(const Case& c, int rank, int64_t position) {
  return !is_joint(c.problem, c.problem.q_len, position) || position % c.mesh.world() == rank;
}

int key_owner(const Case& c, int64_t position) {
  if (is_joint(c.problem, c.problem.kv_len, position)) {
    return static_cast<int>(position % c.mesh.world());
  }
  for (int rank = 0; rank < c.mesh.world(); ++rank) {
    const std::vector<int64_t> held = kv_positions(c, rank);
    if (std::find(held.begin(), held.end(), position) != held.end()) return rank;
  }
  return -1;
}

}  // namespace attncheck
