#include "properties/inputs.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include <ATen/ops/as_strided.h>
#include <ATen/ops/empty.h>

#include "impl/contract/dtypes.h"
#include "properties/element.h"
#include "properties/selector.h"
#include "properties/token_positions.h"

namespace attncheck {
namespace {

enum TensorTag : uint64_t { kQ, kK, kV, kDout, kDlse, kGridA, kGridB, kInput, kCotangent };

constexpr double kOffsetLength = 4.0;
constexpr double kLargeScore = 1e3 / 3;  // the standard deviation of a score of `large` data

using Value = std::function<double(int64_t b, int64_t s, int64_t h, int64_t d)>;

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

Value normal_value(const Case& c, TensorTag tag) {
  return [root = Element(c.seed, tag)](int64_t b, int64_t s, int64_t h, int64_t d) {
    return root.at(b).at(s).at(h).at(d).normal();
  };
}

Value integer_value(const Case& c, TensorTag tag, int64_t most) {
  return [root = Element(c.seed, tag), most](int64_t b, int64_t s, int64_t h, int64_t d) {
    return static_cast<double>(root.at(b).at(s).at(h).at(d).integer(-most, most));
  };
}

// The factor on q and on k that spreads scores by kLargeScore.
double large_gain(const Problem& p) {
  const double spread = std::sqrt(static_cast<double>(p.head_dim)) * std::abs(effective_scale(p));
  return std::sqrt(kLargeScore / std::max(spread, 1e-3));
}

Value q_value(const Case& c) {
  const Value normal = normal_value(c, kQ);
  switch (c.problem.data) {
    case Data::selector:
      return
          [c](int64_t b, int64_t s, int64_t h, int64_t d) { return selector_query(c, b, s, h, d); };
    case Data::large:
      return [normal, gain = large_gain(c.problem)](int64_t b, int64_t s, int64_t h, int64_t d) {
        return gain * normal(b, s, h, d);
      };
    default:
      return normal;
  }
}

Value k_value(const Case& c) {
  const Value normal = normal_value(c, kK);
  const Problem& p = c.problem;
  switch (p.data) {
    case Data::selector:
      return [p](int64_t, int64_t s, int64_t, int64_t d) { return selector_key(p, s, d); };
    case Data::large:
      return [normal, gain = large_gain(p)](int64_t b, int64_t s, int64_t h, int64_t d) {
        return gain * normal(b, s, h, d);
      };
    case Data::offset:
      return [normal, part = kOffsetLength / std::sqrt(static_cast<double>(p.head_dim))](
                 int64_t b, int64_t s, int64_t h, int64_t d) { return normal(b, s, h, d) + part; };
    default:
      return normal;
  }
}

Value v_value(const Case& c) {
  return c.problem.data == Data::selector ? integer_value(c, kV, 100) : normal_value(c, kV);
}

// q and k repeat along the batches that a value edit adds; an expanded view has one batch for all.
Value within_batch(const Case& c, Value value) {
  const int64_t batches = c.problem.view == View::expanded ? 1 : c.problem.batch;
  return [value = std::move(value), batches](int64_t b, int64_t s, int64_t h, int64_t d) {
    return value(b % batches, s, h, d);
  };
}

Value edited_value(const Request& request) {
  const Case& c = request.case_;
  if (request.value == ValueEdit::none) return within_batch(c, v_value(c));
  std::vector<int64_t> column(c.problem.kv_len);
  std::iota(column.begin(), column.end(), 0);
  if (request.value == ValueEdit::shard_indicator) {
    for (int rank = 0; rank < c.mesh.world(); ++rank)
      for (int64_t position : kv_positions(c, rank)) column[position] = rank;
  }
  return [column, batch = c.problem.batch, dv = c.problem.v_head_dim](int64_t b, int64_t s, int64_t,
                                                                      int64_t d) {
    return column[s] == (b / batch) * dv + d ? 1.0 : 0.0;
  };
}

Value grid_value(const Case& c, TensorTag tag) {
  const Value eighths = integer_value(c, tag, 8);
  return [eighths](int64_t b, int64_t s, int64_t h, int64_t d) { return eighths(b, s, h, d) / 8; };
}

Value random_cotangent(const Case& c, TensorTag tag) {
  return c.problem.data == Data::selector ? integer_value(c, tag, 8) : normal_value(c, tag);
}

Value one_rank_cotangent(const Case& c, TensorTag tag, int rank) {
  std::vector<bool> on(c.problem.q_len, false);
  for (int64_t position : q_positions(c, rank)) on[position] = true;
  return [on, random = random_cotangent(c, tag)](int64_t b, int64_t s, int64_t h, int64_t d) {
    return on[s] ? random(b, s, h, d) : 0.0;
  };
}

Value cotangent_value(const Case& c, const Cotangent& cotangent, TensorTag tag) {
  switch (cotangent.kind) {
    case Cotangent::Kind::absent:
    case Cotangent::Kind::zero:
      return [](int64_t, int64_t, int64_t, int64_t) { return 0.0; };
    case Cotangent::Kind::ones:
      return [](int64_t, int64_t, int64_t, int64_t) { return 1.0; };
    case Cotangent::Kind::random:
      return random_cotangent(c, tag);
    case Cotangent::Kind::one_rank:
      return one_rank_cotangent(c, tag, cotangent.rank);
    case Cotangent::Kind::grid_a:
      return grid_value(c, kGridA);
    case Cotangent::Kind::grid_b:
      return grid_value(c, kGridB);
    case Cotangent::Kind::grid_mixed:
      return [a = grid_value(c, kGridA), b = grid_value(c, kGridB)](int64_t i, int64_t s, int64_t h,
                                                                    int64_t d) {
        return 2 * a(i, s, h, d) + b(i, s, h, d);
      };
  }
  return nullptr;
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

InputTensors inputs_at(const Request& request, const std::vector<int64_t>& q_at,
                       const std::vector<int64_t>& kv_at) {
  const Case& c = request.case_;
  const Problem p = effective_case(request).problem;
  const at::ScalarType dtype = scalar_type(p.dtype);
  const Value one = [](int64_t, int64_t, int64_t, int64_t) { return 1.0; };
  const bool constant = request.score == ScoreEdit::constant;
  const auto placed = [&](int64_t heads, int64_t dim, const std::vector<int64_t>& at,
                          const Value& value, View view) {
    return in_view(fill(p.batch, at, heads, dim, value).to(dtype), view);
  };
  const View v_view =
      request.value != ValueEdit::none && p.view == View::expanded ? View::none : p.view;
  InputTensors inputs;
  inputs.q =
      placed(p.heads, p.head_dim, q_at, constant ? one : within_batch(c, q_value(c)), p.view);
  inputs.k =
      placed(p.kv_heads, p.head_dim, kv_at, constant ? one : within_batch(c, k_value(c)), p.view);
  inputs.v = placed(p.kv_heads, p.v_head_dim, kv_at, edited_value(request), v_view);
  if (request.backward && request.dout.kind != Cotangent::Kind::absent) {
    inputs.dout =
        placed(p.heads, p.v_head_dim, q_at, cotangent_value(c, request.dout, kDout), View::none);
  }
  if (request.backward && request.dlse.kind != Cotangent::Kind::absent) {
    inputs.dlse = fill(p.batch, q_at, p.heads, 1, cotangent_value(c, request.dlse, kDlse))
                      .squeeze(-1)
                      .to(lse_scalar_type(dtype));
  }
  return inputs;
}

std::vector<int64_t> all_positions(int64_t length) {
  std::vector<int64_t> positions(length);
  std::iota(positions.begin(), positions.end(), 0);
  return positions;
}

}  // namespace

InputTensors rank_inputs(const Request& request, int rank) {
  return inputs_at(request, q_positions(request.case_, rank), kv_positions(request.case_, rank));
}

InputTensors global_inputs(const Request& request) {
  const Problem& p = request.case_.problem;
  return inputs_at(request, all_positions(p.q_len), all_positions(p.kv_len));
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
  return fill(shape[0], all_positions(shape[1]), shape[2], shape[3], value)
      .to(scalar_type(c.problem.dtype));
}

double tag(int rank, const std::array<int64_t, 4>& index, const std::array<int64_t, 4>& shape) {
  int64_t number = rank;
  for (size_t axis = 0; axis < 4; ++axis) number = number * shape[axis] + index[axis];
  return static_cast<double>(number);
}

}  // namespace attncheck
