#include "properties/inputs.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include <ATen/ops/as_strided.h>
#include <ATen/ops/empty.h>

#include "impl/contract/dtypes.h"
#include "properties/element.h"
#include "properties/key_edits.h"
#include "properties/masks.h"
#include "properties/token_positions.h"
#include "properties/values_by_place.h"

namespace attncheck {
namespace {

// (B, |positions|, H, D) in float64.
at::Tensor fill(int64_t batch, const std::vector<int64_t>& positions, int64_t heads, int64_t dim,
                const Value& value) {
  at::Tensor tensor =
      at::empty({batch, static_cast<int64_t>(positions.size()), heads, dim}, at::kDouble);
  double* out = tensor.data_ptr<double>();
  for (int64_t b = 0; b < batch; ++b)
    for (int64_t s : positions)
      for (int64_t h = 0; h < heads; ++h)
        for (int64_t d = 0; d < dim; ++d) *out++ = value(b, s, h, d);
  return tensor;
}

at::Tensor in_view(const at::Tensor& tensor, View view) {
  switch (view) {
    case View::none:
      return tensor;
    case View::offset: {
      constexpr int64_t kOffset = 3;
      at::Tensor buffer = at::empty({tensor.numel() + kOffset}, tensor.options()).fill_(0);
      at::Tensor placed = at::as_strided(buffer, tensor.sizes(), tensor.strides(), kOffset);
      return placed.copy_(tensor);
    }
    case View::permuted:
      return tensor.transpose(1, 2).contiguous().transpose(1, 2);
    case View::expanded:
      return tensor.narrow(0, 0, 1).expand(tensor.sizes());
  }
  return tensor;
}

// Cotangents are zero but for the queries `on`, by position.
Value masked(Value value, const std::vector<bool>& on) {
  return [value = std::move(value), on](int64_t b, int64_t s, int64_t h, int64_t d) {
    return on[s] ? value(b, s, h, d) : 0.0;
  };
}

InputTensors inputs_at(const Request& request, const std::vector<int64_t>& q_at,
                       const std::vector<int64_t>& kv_at, const std::vector<bool>& owned) {
  const Case& c = request.case_;
  const Problem p = effective_case(request).problem;
  const at::ScalarType dtype = scalar_type(p.dtype);
  const auto placed = [&](int64_t heads, int64_t dim, const std::vector<int64_t>& at,
                          const Value& value, View view) {
    return in_view(fill(p.batch, at, heads, dim, value).to(dtype), view);
  };
  const bool more_batches = p.batch != c.problem.batch;
  const View view = request.contiguous ? View::none : p.view;
  const View v_view = more_batches && view == View::expanded ? View::none : view;
  const std::vector<int64_t> sources = key_sources(request);
  std::vector<int64_t> held;
  for (int64_t position : kv_at) held.push_back(sources[position]);
  InputTensors inputs;
  inputs.q = placed(p.heads, p.head_dim, q_at, q_value(request), view);
  inputs.k = placed(p.kv_heads, p.head_dim, held, k_value(request), view);
  inputs.v = placed(p.kv_heads, p.v_head_dim, held, v_value(request), v_view);
  if (request.backward && request.dout.kind != Cotangent::Kind::absent) {
    inputs.dout = placed(p.heads, p.v_head_dim, q_at, masked(dout_value(request), owned), view);
  }
  if (request.backward && request.dlse.kind != Cotangent::Kind::absent) {
    const at::Tensor dlse =
        fill(p.batch, q_at, p.heads, 1, masked(dlse_value(request), owned)).squeeze(-1);
    inputs.dlse = in_view(dlse.to(lse_scalar_type(dtype)), view);
  }
  inputs.mask = mask_of(request, q_at);
  return inputs;
}

std::vector<int64_t> all_positions(int64_t length) {
  std::vector<int64_t> positions(length);
  std::iota(positions.begin(), positions.end(), 0);
  return positions;
}

// The queries whose cotangents a rank is given: of joint ones it has a share.
std::vector<bool> owned_queries(const Case& c, int rank) {
  std::vector<bool> owned(c.problem.q_len);
  for (size_t i = 0; i < owned.size(); ++i) owned[i] = owns_query(c, rank, static_cast<int64_t>(i));
  return owned;
}

}  // namespace

InputTensors rank_inputs(const Request& request, int rank) {
  const Case& c = request.case_;
  return inputs_at(request, q_positions(c, rank), kv_positions(c, rank), owned_queries(c, rank));
}

InputTensors global_inputs(const Request& request) {
  const Problem& p = request.case_.problem;
  return inputs_at(request, all_positions(p.q_len), all_positions(p.kv_len),
                   std::vector<bool>(p.q_len, true));
}

at::Tensor collective_input(const Request& request, int rank, const std::array<int64_t, 4>& shape) {
  const Case& c = request.case_;
  const bool tagged = c.problem.data == Data::tagged;
  const Element root = Element(c.seed, kInput).at(rank);
  const Value value = [&](int64_t b, int64_t s, int64_t h, int64_t d) {
    return tagged ? tag(rank, {b, s, h, d}, shape)
                  : static_cast<double>(root.at(b).at(s).at(h).at(d).integer(-8, 8));
  };
  return in_view(fill(shape[0], all_positions(shape[1]), shape[2], shape[3], value)
                     .to(scalar_type(c.problem.dtype)),
                 c.problem.view == View::expanded ? View::none : c.problem.view);
}

at::Tensor collective_cotangent(const Request& request, int rank,
                                const std::array<int64_t, 4>& shape) {
  const Case& c = request.case_;
  const Cotangent& dout = request.dout;
  const bool on = dout.kind == Cotangent::Kind::random ||
                  (dout.kind == Cotangent::Kind::one_rank && dout.rank == rank);
  const Element root = Element(c.seed, kCotangent).at(rank);
  const Value value = [&](int64_t b, int64_t s, int64_t h, int64_t d) {
    return on ? static_cast<double>(root.at(b).at(s).at(h).at(d).integer(-8, 8)) : 0.0;
  };
  return in_view(fill(shape[0], all_positions(shape[1]), shape[2], shape[3], value)
                     .to(scalar_type(c.problem.dtype)),
                 c.problem.view == View::expanded ? View::none : c.problem.view);
}

double tag(int rank, const std::array<int64_t, 4>& index, const std::array<int64_t, 4>& shape) {
  int64_t number = rank;
  for (size_t axis = 0; axis < 4; ++axis) number = number * shape[axis] + index[axis];
  return static_cast<double>(number);
}

}  // namespace attncheck
