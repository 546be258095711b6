#include "impl/contract/context_parallel_config.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "problem/enum_words.h"
#include "problem/problem_faults.h"

namespace attncheck {
namespace {

using Faults = std::vector<std::string>;

constexpr size_t kMostExamples = 6;  // of meshes

void append(Faults& faults, Faults more) {
  std::move(more.begin(), more.end(), std::back_inserter(faults));
}

Faults degree_faults(const char* name, const char* without, int degree) {
  if (degree >= 1 && degree <= kLargestDegree) return {};
  return {std::string(name) + "=" + std::to_string(degree) + ": expected 1 to " +
          std::to_string(kLargestDegree) + "; 1 is " + without};
}

std::string degrees_of(int world_size) {
  std::string text;
  const std::vector<Mesh> meshes = factorisations(world_size);
  for (size_t i = 0; i < std::min(meshes.size(), kMostExamples); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(meshes[i].ring) + " x " +
            std::to_string(meshes[i].ulysses);
  }
  return text;
}

Faults world_faults(const ContextParallelConfig& config, int world_size) {
  if (world_size < 1) {
    return {"the world has " + std::to_string(world_size) + " ranks: expected one or more"};
  }
  const int64_t ranks = int64_t{config.ring_degree} * config.ulysses_degree;
  if (ranks == world_size) return {};
  return {"ring_degree=" + std::to_string(config.ring_degree) +
          " x ulysses_degree=" + std::to_string(config.ulysses_degree) + " is " +
          std::to_string(ranks) + " ranks, but the world has " + std::to_string(world_size) +
          ": use degrees with that product, e.g. " + degrees_of(world_size)};
}

// A number that stands for none of the words, as another language may hand it on.
template <typename Words, typename Enum>
Faults word_faults(const char* name, const Words& words, Enum value) {
  const auto number = static_cast<int64_t>(value);
  if (number >= 0 && number < static_cast<int64_t>(words.words.size())) return {};
  return {std::string(name) + "=" + std::to_string(number) + " is none of " + words.list()};
}

}  // namespace

void ContextParallelConfig::fill(AttentionOptions& options) const {
  options.convert_to_fp32 = convert_to_fp32;
  options.rotate = rotate_method;
  options.layout = layout;
}

ContextParallelConfig config_of(const Case& c) {
  return {c.mesh.ring, c.mesh.ulysses, c.convert_to_fp32, c.rotate, c.problem.layout, c.mesh.order};
}

Method method_for(const Mesh& mesh) {
  if (mesh.ring == 1) return Method::ulysses;
  return mesh.ulysses == 1 ? Method::ring : Method::unified;
}

std::vector<std::string> faults_of(const ContextParallelConfig& config, int world_size,
                                   const Problem* problem) {
  Faults faults = degree_faults("ring_degree", "no ring", config.ring_degree);
  append(faults, degree_faults("ulysses_degree", "no Ulysses", config.ulysses_degree));
  if (faults.empty()) append(faults, world_faults(config, world_size));
  append(faults, word_faults("rotate_method", kRotateWords, config.rotate_method));
  append(faults, word_faults("layout", kLayoutWords, config.layout));
  append(faults, word_faults("mesh_order", kMeshOrderWords, config.mesh_order));
  if (problem == nullptr) return faults;
  Problem spread = *problem;
  spread.layout = config.layout;
  append(faults, size_faults(spread));
  append(faults, shard_faults(spread, world_size));
  append(faults, place_faults(spread));
  append(faults, joint_faults(spread));
  return faults;
}

}  // namespace attncheck
