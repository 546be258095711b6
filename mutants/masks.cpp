#include "mutants/masks.h"

#include <functional>
#include <utility>

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/tensor.h>

#include "impl/layouts/block_masks.h"
#include "impl/layouts/strands.h"
#include "impl/ring/ring_attention.h"
#include "mutants/entry.h"
#include "mutants/parents.h"

namespace attncheck {
namespace {

// The mask has four axes: (B, H|1, Sq|1, Skv).
constexpr int64_t kBatch = 0, kHeads = 1, kKeys = 3;

using Telling = std::function<void(AttentionOptions&, const MeshGroups&)>;

// The parent, told something else than its caller was.
Implementation misinformed(const std::string& name, const Parent& parent, Telling telling) {
  Parent wrong = parent;
  wrong.pass = [pass = parent.pass, telling = std::move(telling)](AttentionOptions options,
                                                                  const MeshGroups& groups) {
    telling(options, groups);
    return pass(options, groups);
  };
  return implementation_of(name, wrong);
}

void drops_the_mask(AttentionOptions& options, const MeshGroups&) {
  options.mask.reset();
}

void takes_the_first_of_the_batch(AttentionOptions& options, const MeshGroups&) {
  if (options.mask.defined() && options.mask_axes == MaskAxes::bk) {
    options.mask = options.mask.narrow(kBatch, 0, 1);
  }
}

at::Tensor keys_of(const AttentionOptions& options, const Mesh& mesh, int rank) {
  const auto held = held_tokens(token_split(options, mesh), options.kv_len, rank);
  return at::tensor(positions_of(held), at::kLong);
}

// The columns of the rank's own keys stand where those of every other rank belong.
void keeps_its_own_columns(AttentionOptions& options, const MeshGroups& groups) {
  if (!options.mask.defined()) return;
  const at::Tensor own = keys_of(options, groups.mesh, groups.rank);
  const at::Tensor columns = options.mask.index_select(kKeys, own);
  options.mask = options.mask.clone();
  for (int rank = 0; rank < groups.mesh.world(); ++rank) {
    const at::Tensor keys = keys_of(options, groups.mesh, rank);
    const int64_t count = std::min(keys.numel(), own.numel());
    options.mask.index_copy_(kKeys, keys.narrow(0, 0, count), columns.narrow(kKeys, 0, count));
  }
}

void shows_all_heads_the_first_part(AttentionOptions& options, const MeshGroups& groups) {
  if (!options.mask.defined() || options.mask_axes != MaskAxes::bhqk) return;
  const int64_t heads = options.mask.size(kHeads);
  const at::Tensor part = at::arange(heads).remainder(heads / groups.mesh.ulysses);
  options.mask = options.mask.index_select(kHeads, part);
}

void forgets_documents_in_a_masked_window(AttentionOptions& options, const MeshGroups&) {
  if (options.window && options.mask.defined()) options.documents.clear();
}

void widens_the_window(AttentionOptions& options, const MeshGroups&) {
  if (options.window) ++*options.window;
}

// The blocks of other ranks' keys know of no documents.
AttentionPass forgets_documents_elsewhere(const AttentionOptions& options,
                                          const MeshGroups& groups) {
  RingCall call = ring_call(options, groups);
  if (options.documents.empty() || options.mask.defined()) return ring_pass(call);
  AttentionOptions without = options;
  without.documents.clear();
  const RingCall unpacked = ring_call(without, groups);
  if (call.parts.size() != unpacked.parts.size()) return ring_pass(call);
  for (int owner = 0; owner < call.ring_degree; ++owner) {
    if (owner != call.ring_index) call.blocks[owner] = unpacked.blocks[owner];
  }
  return ring_pass(call);
}

// Every shard of keys begins with the joint ones, which so go round with it.
AttentionPass turns_joint_tokens(const AttentionOptions& options, const MeshGroups& groups) {
  const bool equal_runs = options.layout == Layout::contiguous && options.shards.empty();
  if (options.joint.tokens == 0 || options.mask.defined() || !equal_runs) {
    return ring_pass(ring_call(options, groups));
  }
  AttentionOptions longer = options;
  longer.joint = Joint{};
  longer.q_len += groups.mesh.world() * options.joint.tokens;
  longer.kv_len += groups.mesh.world() * options.joint.tokens;
  return ring_pass(ring_call(longer, groups));
}

// Of joint tokens behind the others, as if they stood in front.
void takes_joint_columns_for_the_first(AttentionOptions& options, const MeshGroups&) {
  if (!options.mask.defined() || options.joint.place != JointPlace::rear) return;
  options.mask = options.mask.roll(options.joint.tokens, kKeys);
}

}  // namespace

std::vector<Mutant> mask_mutants() {
  Parent turning = ring_parent();
  turning.pass = turns_joint_tokens;
  Parent forgetful = ring_parent();
  forgetful.pass = forgets_documents_elsewhere;
  return {
      make_mutant({.name = "D1",
                   .source = "diffusers #12605",
                   .fault = "the mask is silently dropped",
                   .property = "output_matches_reference",
                   .smallest = "mesh=1x1 q=1 kv=2 d=1 mask=bool:bk seed=1"},
                  misinformed("drops_the_mask", unified_parent(), drops_the_mask)),
      make_mutant({.name = "C12",
                   .source = "xDiT #611, sglang #33327",
                   .fault = "joint tokens, which every rank holds, count once for each rank",
                   .property = "lse_matches_reference",
                   .smallest = "mesh=2x1 q=3 d=1 joint=front:1"},
                  implementation_of("turns_joint_tokens", turning)),
      make_mutant({.name = "D2",
                   .source = "diffusers PR 13756",
                   .fault = "the mask is in the order of the joint sequence, the keys are not",
                   .property = "output_matches_reference",
                   .smallest = "mesh=1x2 q=12 h=2 d=1 joint=rear:8 mask=bool:bk"},
                  misinformed("takes_joint_columns_for_the_first", ulysses_parent(),
                              takes_joint_columns_for_the_first)),
      make_mutant({.name = "D3",
                   .source = "diffusers PR 13278",
                   .fault = "a mask of two axes, (B, Skv), is that of the first batch for all",
                   .property = "output_matches_reference",
                   .smallest = "mesh=1x2 b=2 q=2 h=2 d=1 mask=bool:bk seed=1"},
                  misinformed("takes_the_first_of_the_batch", ulysses_parent(),
                              takes_the_first_of_the_batch)),
      make_mutant({.name = "house_mask_stays",
                   .source = "house",
                   .fault = "a ring does not turn the columns of the mask with their keys",
                   .property = "output_matches_reference",
                   .smallest = "mesh=2x1 q=2 d=1 mask=bool:bk seed=1"},
                  misinformed("keeps_its_own_columns", ring_parent(), keeps_its_own_columns)),
      make_mutant({.name = "house_mask_of_first_heads",
                   .source = "house",
                   .fault = "Ulysses gives every rank the mask of the first rank's heads",
                   .property = "output_matches_reference",
                   .smallest = "mesh=1x2 q=2 h=2 d=1 mask=bool seed=1"},
                  misinformed("shows_all_heads_the_first_part", ulysses_parent(),
                              shows_all_heads_the_first_part)),
      make_mutant({.name = "house_window_too_wide",
                   .source = "house",
                   .fault = "the window lets a query see one place more on each side",
                   .property = "output_matches_reference",
                   .smallest = "mesh=1x1 q=2 d=1 window=0"},
                  misinformed("widens_the_window", unified_parent(), widens_the_window)),
      make_mutant({.name = "house_masked_window_for_documents",
                   .source = "house",
                   .fault = "documents are forgotten where there are a window and a mask",
                   .property = "output_matches_reference",
                   .smallest = "mesh=1x1 q=2 d=1 documents=1,1 window=1 mask=bool:b1qk"},
                  misinformed("forgets_documents_in_a_masked_window", ulysses_parent(),
                              forgets_documents_in_a_masked_window)),
      make_mutant({.name = "house_documents_end_at_home",
                   .source = "house",
                   .fault = "a ring minds where documents end for its own keys alone",
                   .property = "output_matches_reference",
                   .smallest = "mesh=2x1 q=2 d=1 documents=1,1"},
                  implementation_of("forgets_documents_elsewhere", forgetful)),
  };
}

}  // namespace attncheck
