#pragma once

#include <string>
#include <vector>

namespace attncheck {

// A step of a merge: a leaf, or the merge of two earlier nodes, in that order.
struct MergeNode {
  int left = -1, right = -1;  // places of earlier nodes; both -1 in a leaf
  unsigned leaves = 0;        // which leaves are below it, by bit
};

// Every way to merge the partials 0 .. n - 1, each once, in every order and bracketing, n! times
// the Catalan number of n - 1; and the first of them with one more leaf, n, which is empty, on its
// right and on its left. Nodes are shared: 1680 trees of 5 partials have 2425.
class MergeTrees {
 public:
  explicit MergeTrees(int partials);

  const std::vector<MergeNode>& nodes() const { return nodes_; }  // the n + 1 leaves first
  const std::vector<int>& roots() const { return roots_; }        // places among the nodes
  // "((1 0) 2)"; the empty leaf is "-".
  std::string text(int node) const;

 private:
  int merged(int left, int right);

  int partials_;
  std::vector<MergeNode> nodes_;
  std::vector<int> roots_;
};

}  // namespace attncheck
