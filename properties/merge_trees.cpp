#include "properties/merge_trees.h"

namespace attncheck {

MergeTrees::MergeTrees(int partials) : partials_(partials) {
  for (int leaf = 0; leaf <= partials; ++leaf) nodes_.push_back({-1, -1, 1u << leaf});
  const unsigned all = (1u << partials) - 1;
  std::vector<std::vector<int>> by_leaves(all + 1);
  for (int leaf = 0; leaf < partials; ++leaf) by_leaves[1u << leaf].push_back(leaf);
  for (unsigned set = 1; set <= all; ++set) {
    for (unsigned left = (set - 1) & set; left > 0; left = (left - 1) & set) {
      for (int a : by_leaves[left])
        for (int b : by_leaves[set & ~left]) by_leaves[set].push_back(merged(a, b));
    }
  }
  roots_ = by_leaves[all];
  const int first = roots_.front();
  roots_.push_back(merged(first, partials));
  roots_.push_back(merged(partials, first));
}

int MergeTrees::merged(int left, int right) {
  nodes_.push_back({left, right, nodes_[left].leaves | nodes_[right].leaves});
  return static_cast<int>(nodes_.size()) - 1;
}

std::string MergeTrees::text(int node) const {
  const MergeNode& n = nodes_.at(node);
  if (n.left >= 0) return "(" + text(n.left) + " " + text(n.right) + ")";
  return node == partials_ ? "-" : std::to_string(node);
}

}  // namespace attncheck
