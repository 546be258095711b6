#include "properties/values_by_place.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "properties/element.h"
#include "properties/kept_normals.h"
#include "properties/key_edits.h"
#include "properties/selector.h"
#include "properties/token_positions.h"

namespace attncheck {
namespace {

constexpr double kSixteenth = 1.0 / 16;
constexpr double kLargestGridKey = 4;
constexpr double kOffsetLength = 4.0;
constexpr double kLowScore = 200;           // exp(-104) is 0 in float32
constexpr double kLowScoreOfDouble = 1000;  // exp(-746) is 0 in float64
constexpr double kLargeScore = 1e3 / 3;     // the standard deviation of a score of `large` data

Value normal_value(const Case& c, TensorTag tag) {
  return [row = RowOfElements(Element(c.seed, tag))](int64_t b, int64_t s, int64_t h,
                                                     int64_t d) mutable {
    return kept_normal(row.at(b, s, h).at(d));
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

// What each component of q has more, and of k less, in `low` data. Where the scale is negative, k
// has it more as well.
double low_part(const Problem& p) {
  const double scale = effective_scale(p);
  if (scale == 0) return 0;
  const double low = p.dtype == DType::f64 ? kLowScoreOfDouble : kLowScore;
  return std::sqrt(low / std::abs(scale) / static_cast<double>(p.head_dim));
}

Value drawn_q(const Case& c) {
  const Value normal = normal_value(c, kQ);
  switch (c.problem.data) {
    case Data::selector:
      return
          [c](int64_t b, int64_t s, int64_t h, int64_t d) { return selector_query(c, b, s, h, d); };
    case Data::large:
      return [normal, gain = large_gain(c.problem)](int64_t b, int64_t s, int64_t h, int64_t d) {
        return gain * normal(b, s, h, d);
      };
    case Data::low:
      return [normal, part = low_part(c.problem)](int64_t b, int64_t s, int64_t h, int64_t d) {
        return normal(b, s, h, d) + part;
      };
    default:
      return normal;
  }
}

Value drawn_k(const Case& c) {
  const Value normal = normal_value(c, kK);
  const Problem& p = c.problem;
  switch (p.data) {
    case Data::selector:
      return [p](int64_t, int64_t s, int64_t, int64_t d) { return selector_key(p, s, d); };
    case Data::large:
      return [normal, gain = large_gain(p)](int64_t b, int64_t s, int64_t h, int64_t d) {
        return gain * normal(b, s, h, d);
      };
    case Data::low:
      return [normal, part = std::copysign(low_part(p), effective_scale(p))](
                 int64_t b, int64_t s, int64_t h, int64_t d) { return normal(b, s, h, d) - part; };
    case Data::offset:
      return [normal, part = kOffsetLength / std::sqrt(static_cast<double>(p.head_dim))](
                 int64_t b, int64_t s, int64_t h, int64_t d) { return normal(b, s, h, d) + part; };
    default:
      return normal;
  }
}

Value drawn_v(const Case& c) {
  return c.problem.data == Data::selector ? integer_value(c, kV, 100) : normal_value(c, kV);
}

// q and k repeat along the batches that a value edit adds; an expanded view has one batch for all.
Value within_batch(const Case& c, Value value) {
  const int64_t batches = c.problem.view == View::expanded ? 1 : c.problem.batch;
  return [value = std::move(value), batches](int64_t b, int64_t s, int64_t h, int64_t d) {
    return value(b % batches, s, h, d);
  };
}

Value grid_value(const Case& c, TensorTag tag) {
  const Value eighths = integer_value(c, tag, 8);
  return [eighths](int64_t b, int64_t s, int64_t h, int64_t d) { return eighths(b, s, h, d) / 8; };
}

Value mixed_value(const Case& c, TensorTag a, TensorTag b) {
  return [a = grid_value(c, a), b = grid_value(c, b)](int64_t i, int64_t s, int64_t h, int64_t d) {
    return 2 * a(i, s, h, d) + b(i, s, h, d);
  };
}

// 1 in the column that the key shows itself in.
Value shown_value(const Case& c, ValueEdit edit) {
  std::vector<int64_t> column(c.problem.kv_len);
  std::iota(column.begin(), column.end(), 0);
  if (edit == ValueEdit::shard_indicator) {
    for (int64_t& rank : column) rank = key_owner(c, rank);
  }
  return [column, batch = c.problem.batch, dv = c.problem.v_head_dim](int64_t b, int64_t s, int64_t,
                                                                      int64_t d) {
    return column[s] == (b / batch) * dv + d ? 1.0 : 0.0;
  };
}

Value edited_v(const Case& c, ValueEdit edit) {
  switch (edit) {
    case ValueEdit::none:
      return within_batch(c, drawn_v(c));
    case ValueEdit::identity:
    case ValueEdit::shard_indicator:
      return shown_value(c, edit);
    case ValueEdit::grid_a:
      return within_batch(c, grid_value(c, kValueA));
    case ValueEdit::grid_b:
      return within_batch(c, grid_value(c, kValueB));
    case ValueEdit::grid_mixed:
      return within_batch(c, mixed_value(c, kValueA, kValueB));
  }
  return nullptr;
}

Value grid_key(const Case& c) {
  return [normal = normal_value(c, kGridKey)](int64_t b, int64_t s, int64_t h, int64_t d) {
    const double near = std::round(normal(b, s, h, d) / kSixteenth) * kSixteenth;
    return std::clamp(near, -kLargestGridKey, kLargestGridKey);
  };
}

Value edited_k(const Case& c, KeyEdit edit) {
  if (edit != KeyEdit::grid && edit != KeyEdit::shifted) return drawn_k(c);
  if (edit == KeyEdit::grid) return grid_key(c);
  return [grid = grid_key(c), c](int64_t b, int64_t s, int64_t h, int64_t d) {
    return grid(b, s, h, d) + key_shift(c, h, d);
  };
}

Value random_cotangent(const Case& c, TensorTag tag) {
  return c.problem.data == Data::selector ? integer_value(c, tag, 8) : normal_value(c, tag);
}

Value one_rank_cotangent(const Case& c, TensorTag tag, int rank) {
  std::vector<bool> on(c.problem.q_len, false);
  for (int64_t position : q_positions(c, rank)) on[position] = owns_query(c, rank, position);
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
      return mixed_value(c, kGridA, kGridB);
  }
  return nullptr;
}

// What `make` says of the request's case; in the cells that the request changes, of another seed.
// `group` heads of the tensor share a KV head.
template <typename Make>
Value by_cell(const Request& request, int64_t group, Make make) {
  const Case& c = request.case_;
  if (!request.other_cells) return make(c);
  Case other = c;
  other.seed = ~c.seed;
  return
      [here = make(c), there = make(other), group, c](int64_t b, int64_t s, int64_t h, int64_t d) {
        return (changed_cell(c, b, h / group) ? there : here)(b, s, h, d);
      };
}

int64_t group_of(const Case& c) {
  return c.problem.heads / c.problem.kv_heads;
}

// An expanded view has one batch for all.
Value viewed_cotangent(const Case& c, const Cotangent& cotangent, TensorTag tag) {
  Value value = cotangent_value(c, cotangent, tag);
  return c.problem.view == View::expanded ? within_batch(c, std::move(value)) : value;
}

double one(int64_t, int64_t, int64_t, int64_t) {
  return 1.0;
}

}  // namespace

Value q_value(const Request& request) {
  if (request.score == ScoreEdit::constant) return one;
  return by_cell(request, group_of(request.case_),
                 [](const Case& c) { return within_batch(c, drawn_q(c)); });
}

Value k_value(const Request& request) {
  if (request.score == ScoreEdit::constant) return one;
  return by_cell(request, 1, [edit = request.key](const Case& c) {
    return within_batch(c, edited_k(c, edit));
  });
}

Value v_value(const Request& request) {
  return by_cell(request, 1, [edit = request.value](const Case& c) { return edited_v(c, edit); });
}

Value dout_value(const Request& request) {
  return by_cell(request, group_of(request.case_),
                 [dout = request.dout](const Case& c) { return viewed_cotangent(c, dout, kDout); });
}

Value dlse_value(const Request& request) {
  return by_cell(request, group_of(request.case_),
                 [dlse = request.dlse](const Case& c) { return viewed_cotangent(c, dlse, kDlse); });
}

}  // namespace attncheck
