#pragma once

#include <cstdint>
#include <vector>

#include "impl/collectives/kept_group.h"
#include "impl/contract/backend.h"
#include "impl/contract/implementation.h"
#include "impl/layouts/blocks.h"
#include "impl/layouts/reordering.h"
#include "impl/merges/span_sums.h"

namespace attncheck {

// What a rank needs beside its tensors to attend to the keys of all.
struct GatherCall {
  const Backend* backend = nullptr;
  double scale = 1.0;
  bool convert_to_fp32 = true;
  KeptGroup group;
  Joint joint;
  std::vector<int64_t> key_lengths;  // by rank, joint ones aside
  // From the order in which the ranks hold the keys to that of `blocks`.
  Reordering keys;
  std::vector<Span> parts;  // of the rank's queries; each has blocks of its own
  // Of the gathered keys: one for each part of the queries that sees any, within a document,
  // without the keys behind the last one that it sees. Stripes meet under a diagonal stripe by
  // stripe alone: where causal they have a block for each rank.
  std::vector<Block> blocks;
  MergeTwo merge = attncheck::merge;  // of what the rank has so far and the next block
};

// The mask of the options has four axes.
GatherCall gather_call(const AttentionOptions& options, const MeshGroups& groups);

}  // namespace attncheck
