#include "reference/closed_forms.h"

#include <algorithm>
#include <cmath>

#include <ATen/core/TensorAccessor.h>
#include <ATen/ops/zeros.h>
#include <c10/util/Exception.h>

namespace attncheck::reference {
namespace {

using Accessor = at::TensorAccessor<double, 4>;

/// Everything in float64, with elements to be read one by one.
struct Elements {
  explicit Elements(const Inputs& in)
      : n(checked_sizes(in)),
        scale(in.scale),
        tensors{in.q.to(at::kDouble), in.k.to(at::kDouble), in.v.to(at::kDouble)},
        q(tensors[0].accessor<double, 4>()),
        k(tensors[1].accessor<double, 4>()),
        v(tensors[2].accessor<double, 4>()) {
    TORCH_CHECK(!in.diagonal && !in.mask.defined(), "closed forms know no mask and no causality");
  }

  int64_t kv_head(int64_t head) const { return head / n.group(); }

  double score(int64_t b, int64_t row, int64_t head, int64_t key) const {
    double sum = 0;
    for (int64_t d = 0; d < n.head_dim; ++d)
      sum += q[b][row][head][d] * k[b][key][kv_head(head)][d];
    return scale * sum;
  }

  template <class Visit>
  void for_each_row(Visit visit) const {
    for (int64_t b = 0; b < n.batch; ++b)
      for (int64_t row = 0; row < n.q_len; ++row)
        for (int64_t head = 0; head < n.heads; ++head) visit(b, row, head);
  }

  Sizes n;
  double scale;
  at::Tensor tensors[3];
  Accessor q, k, v;
};

void require_keys(const Elements& in, int64_t keys) {
  TORCH_CHECK(in.n.kv_len == keys, "this closed form has ", keys, " keys, got ", in.n.kv_len);
}

/// Fills out and lse from row(b, row, head, out) -> lse, where out(d) is a reference to an element.
template <class Row>
Forward fill_rows(const Elements& in, Row fill) {
  const Sizes& n = in.n;
  Forward result{at::zeros({n.batch, n.q_len, n.heads, n.value_dim}, at::kDouble),
                 at::zeros({n.batch, n.q_len, n.heads}, at::kDouble)};
  auto out = result.out.accessor<double, 4>();
  auto lse = result.lse.accessor<double, 3>();
  in.for_each_row([&](int64_t b, int64_t row, int64_t head) {
    lse[b][row][head] = fill(b, row, head, out[b][row][head]);
  });
  return result;
}

/// The weight of key 0 of two.
double first_weight(double s0, double s1) {
  return 1 / (1 + std::exp(s1 - s0));
}

/// Gradients from the weight and the score's gradient of every key, both functions of (b, row,
/// head, key).
template <class Weight, class ScoreGradient>
Gradients chain(const Elements& in, const at::Tensor& dout, Weight weight, ScoreGradient ds) {
  const Sizes& n = in.n;
  Gradients result{at::zeros({n.batch, n.q_len, n.heads, n.head_dim}, at::kDouble),
                   at::zeros({n.batch, n.kv_len, n.kv_heads, n.head_dim}, at::kDouble),
                   at::zeros({n.batch, n.kv_len, n.kv_heads, n.value_dim}, at::kDouble)};
  auto dq = result.dq.accessor<double, 4>();
  auto dk = result.dk.accessor<double, 4>();
  auto dv = result.dv.accessor<double, 4>();
  auto g = dout.accessor<double, 4>();
  in.for_each_row([&](int64_t b, int64_t row, int64_t head) {
    const int64_t kv_head = in.kv_head(head);
    for (int64_t key = 0; key < n.kv_len; ++key) {
      const double s = in.scale * ds(b, row, head, key);
      for (int64_t d = 0; d < n.head_dim; ++d) {
        dq[b][row][head][d] += s * in.k[b][key][kv_head][d];
        dk[b][key][kv_head][d] += s * in.q[b][row][head][d];
      }
      const double p = weight(b, row, head, key);
      for (int64_t d = 0; d < n.value_dim; ++d) dv[b][key][kv_head][d] += p * g[b][row][head][d];
    }
  });
  return result;
}

}  // namespace

Forward one_key(const Inputs& inputs) {
  require_keys(Elements(inputs), 1);
  return winning_key(inputs, [](int64_t) { return 0; });
}

Gradients one_key_vjp(const Inputs& inputs, const at::Tensor& dout, const at::Tensor& dlse) {
  const Elements in(inputs);
  require_keys(in, 1);
  auto g = dlse.accessor<double, 3>();
  return chain(
      in, dout, [](int64_t, int64_t, int64_t, int64_t) { return 1.0; },
      [&](int64_t b, int64_t row, int64_t head, int64_t) { return g[b][row][head]; });
}

Forward two_keys(const Inputs& inputs) {
  const Elements in(inputs);
  require_keys(in, 2);
  return fill_rows(in, [&](int64_t b, int64_t row, int64_t head, auto out) {
    const double s0 = in.score(b, row, head, 0), s1 = in.score(b, row, head, 1);
    const auto v0 = in.v[b][0][in.kv_head(head)], v1 = in.v[b][1][in.kv_head(head)];
    for (int64_t d = 0; d < in.n.value_dim; ++d) {
      out[d] = v1[d] + first_weight(s0, s1) * (v0[d] - v1[d]);
    }
    return std::max(s0, s1) + std::log1p(std::exp(-std::abs(s0 - s1)));
  });
}

Gradients two_keys_vjp(const Inputs& inputs, const at::Tensor& dout, const at::Tensor& dlse) {
  const Elements in(inputs);
  require_keys(in, 2);
  auto g = dout.accessor<double, 4>();
  auto g_lse = dlse.accessor<double, 3>();
  const auto weight = [&](int64_t b, int64_t row, int64_t head, int64_t key) {
    return first_weight(in.score(b, row, head, key), in.score(b, row, head, 1 - key));
  };
  return chain(in, dout, weight, [&](int64_t b, int64_t row, int64_t head, int64_t key) {
    const int64_t kv_head = in.kv_head(head);
    double slope = 0;  // dout . (v_key - v_other)
    for (int64_t d = 0; d < in.n.value_dim; ++d) {
      slope += g[b][row][head][d] * (in.v[b][key][kv_head][d] - in.v[b][1 - key][kv_head][d]);
    }
    const double p = weight(b, row, head, key), q = weight(b, row, head, 1 - key);
    return p * q * slope + p * g_lse[b][row][head];
  });
}

Forward equal_keys(const Inputs& inputs) {
  const Elements in(inputs);
  const double keys = static_cast<double>(in.n.kv_len);
  return fill_rows(in, [&](int64_t b, int64_t, int64_t head, auto out) {
    for (int64_t key = 0; key < in.n.kv_len; ++key)
      for (int64_t d = 0; d < in.n.value_dim; ++d) {
        out[d] += in.v[b][key][in.kv_head(head)][d] / keys;
      }
    return std::log(keys);
  });
}

Forward winning_key(const Inputs& inputs, const std::function<int64_t(int64_t row)>& winner) {
  const Elements in(inputs);
  return fill_rows(in, [&](int64_t b, int64_t row, int64_t head, auto out) {
    const int64_t key = winner(row);
    for (int64_t d = 0; d < in.n.value_dim; ++d) out[d] = in.v[b][key][in.kv_head(head)][d];
    return in.score(b, row, head, key);
  });
}

}  // namespace attncheck::reference
