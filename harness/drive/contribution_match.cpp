#include "harness/drive/contribution_match.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/zeros_like.h>

namespace attncheck {
namespace {

constexpr size_t kMostTerms = 3;

bool within(const at::Tensor& got, const at::Tensor& sum, const at::Tensor& bound) {
  const at::Tensor error = (got - sum).abs();
  return error.le(bound).all().item<bool>();
}

class SumSearch {
 public:
  SumSearch(const at::Tensor& got, const std::vector<at::Tensor>& terms, int own,
            const at::Tensor& bound)
      : got_(got), terms_(terms), bound_(bound) {
    if (own >= 0) order_.push_back(own);
    for (int i = 0; i < static_cast<int>(terms.size()); ++i) {
      if (i != own) order_.push_back(i);
    }
  }

  std::optional<std::vector<int>> find() {
    for (size_t count = 0; count <= kMostTerms; ++count) {
      chosen_.clear();
      if (choose(at::zeros_like(got_), 0, count)) return chosen_;
    }
    return std::nullopt;
  }

 private:
  bool fits(int term) const {
    return terms_[term].defined() && terms_[term].sizes() == got_.sizes();
  }

  bool choose(const at::Tensor& sum, size_t first, size_t left) {
    if (left == 0) return within(got_, sum, bound_);
    for (size_t i = first; i < order_.size(); ++i) {
      if (!fits(order_[i])) continue;
      chosen_.push_back(order_[i]);
      if (choose(sum + terms_[order_[i]], i, left - 1)) return true;
      chosen_.pop_back();
    }
    return false;
  }

  const at::Tensor& got_;
  const std::vector<at::Tensor>& terms_;
  const at::Tensor& bound_;
  std::vector<int> order_, chosen_;
};

}  // namespace

std::optional<std::vector<int>> match_sum(const at::Tensor& got,
                                          const std::vector<at::Tensor>& terms, int own,
                                          const at::Tensor& bound) {
  return SumSearch(got, terms, own, bound).find();
}

}  // namespace attncheck
