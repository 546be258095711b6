#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include <ATen/core/Tensor.h>

namespace attncheck {

// What a trade sends or receives, cut into a piece for each rank.
class TradePieces {
 public:
  // `lengths` along the first axis; empty: `ranks` pieces, all alike.
  TradePieces(const at::Tensor& x, const std::vector<int64_t>& lengths, int ranks);

  bool alike() const;      // all have one length
  bool one_alone() const;  // all but one are empty, of several
  at::Tensor& at(int rank) { return pieces_.at(rank); }

  // Piece i is what was piece source(i).
  TradePieces reordered(const std::function<int(int)>& source) const;
  // End to end, in memory of its own; and the lengths, none where none were given.
  at::Tensor joined() const;
  std::vector<int64_t> lengths() const;

 private:
  std::vector<at::Tensor> pieces_;
  bool with_lengths_ = false;
};

}  // namespace attncheck
