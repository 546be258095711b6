#include "mutants/systematic/pieces_of_trades.h"

#include <algorithm>

#include <ATen/ops/cat.h>

namespace attncheck {

TradePieces::TradePieces(const at::Tensor& x, const std::vector<int64_t>& lengths, int ranks)
    : with_lengths_(!lengths.empty()) {
  pieces_ = with_lengths_ ? x.split_with_sizes(lengths) : x.split(x.size(0) / ranks);
}

bool TradePieces::alike() const {
  return std::ranges::all_of(
      pieces_, [&](const at::Tensor& piece) { return piece.size(0) == pieces_.front().size(0); });
}

bool TradePieces::one_alone() const {
  const auto empty = [](const at::Tensor& piece) { return piece.size(0) == 0; };
  return pieces_.size() > 1 &&
         std::ranges::count_if(pieces_, empty) == static_cast<int64_t>(pieces_.size()) - 1;
}

TradePieces TradePieces::reordered(const std::function<int(int)>& source) const {
  TradePieces result = *this;
  for (size_t i = 0; i < pieces_.size(); ++i) {
    result.pieces_[i] = pieces_.at(source(static_cast<int>(i)));
  }
  return result;
}

at::Tensor TradePieces::joined() const {
  return at::cat(pieces_);
}

std::vector<int64_t> TradePieces::lengths() const {
  std::vector<int64_t> lengths;
  if (!with_lengths_) return lengths;
  for (const at::Tensor& piece : pieces_) lengths.push_back(piece.size(0));
  return lengths;
}

}  // namespace attncheck
