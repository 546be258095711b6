#include "harness/evaluate_merge.h"

#include <limits>

#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/zeros_like.h>

#include "harness/on_device.h"
#include "properties/merge_inputs.h"
#include "properties/merge_trees.h"

namespace attncheck {
namespace {

// What every node of the trees gives.
std::vector<Partial> merged_nodes(const Merge& merge, std::vector<Partial> results,
                                  const MergeTrees& trees) {
  const Partial& first = results.front();
  results.push_back({at::zeros_like(first.out),
                     at::full_like(first.lse, -std::numeric_limits<double>::infinity())});
  for (const MergeNode& node : trees.nodes()) {
    if (node.left >= 0) results.push_back(merge.apply(results[node.left], results[node.right]));
  }
  return results;
}

}  // namespace

Support supports_merge(const Case& c, const Merge& merge) {
  if (c.mesh.world() != 1) return Support::no("a merge is checked on one rank: mesh=1x1");
  if (c.problem.kv_len > kMostPartials) {
    return Support::no("kv=" + std::to_string(c.problem.kv_len) + " partials are too many: up to " +
                       std::to_string(kMostPartials));
  }
  return merge.supports(c);
}

void evaluate_merge(const Merge& merge, const Request& request, RankResult& result,
                    c10::Device device) {
  const at::NoGradGuard no_grad;
  const Support support = supports_merge(request.case_, merge);
  TORCH_CHECK(support.ok, support.reason);
  const MergeTrees trees(static_cast<int>(request.case_.problem.kv_len));
  std::vector<Partial> inputs = merge_inputs(request.case_);
  for (Partial& input : inputs) {
    input = {on_device(input.out, device), on_device(input.lse, device)};
  }
  const std::vector<Partial> nodes = merged_nodes(merge, std::move(inputs), trees);
  std::vector<at::Tensor> outs, lses;
  for (int root : trees.roots()) {
    outs.push_back(nodes[root].out);
    lses.push_back(nodes[root].lse);
  }
  result.tensors["out"] = at::cat(outs);
  result.tensors["lse"] = at::cat(lses);
}

}  // namespace attncheck
