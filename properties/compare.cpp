#include "properties/compare.h"

#include <cmath>
#include <cstring>
#include <limits>

#include <ATen/ops/full.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "properties/token_positions.h"

namespace attncheck {
namespace {

std::string number_text(double value, at::ScalarType dtype) {
  return dtype == at::kDouble ? fmt::format("{:.17g}", value) : fmt::format("{:.9g}", value);
}

// How far `got` lies from `expected` as a share of the bound; infinite for a wrong pattern of NaN
// and infinities.
double share(double got, double expected, double bound) {
  if (std::isnan(expected) || std::isinf(expected)) {
    const bool same = std::isnan(expected) ? std::isnan(got) : got == expected;
    return same ? 0 : std::numeric_limits<double>::infinity();
  }
  if (!std::isfinite(got)) return std::numeric_limits<double>::infinity();
  const double error = std::abs(got - expected);
  return error == 0 ? 0 : error / bound;
}

struct Worst {
  double share = -1;
  int rank = 0;
  int64_t place = 0;  // in the rank's tensor
  double got = 0, expected = 0, bound = 0;
  bool pattern() const {
    return std::isinf(share) && (!std::isfinite(got) || !std::isfinite(expected));
  }
};

// One rank's shard against the rows `positions` of the global tensor.
void scan(const at::Tensor& shard, const at::Tensor& expected, const at::Tensor& bound,
          const std::vector<int64_t>& positions, int rank, Worst& worst) {
  const int64_t batch = expected.size(0), rows = expected.size(1);
  const int64_t inner = expected.numel() / std::max<int64_t>(1, batch * rows);
  const double* got = shard.const_data_ptr<double>();
  const double* want = expected.const_data_ptr<double>();
  const double* allowed = bound.const_data_ptr<double>();
  int64_t place = 0;
  for (int64_t b = 0; b < batch; ++b) {
    for (int64_t position : positions) {
      const int64_t row = (b * rows + position) * inner;
      for (int64_t i = 0; i < inner; ++i, ++place) {
        const double s = share(got[place], want[row + i], allowed[row + i]);
        if (s > worst.share) worst = {s, rank, place, got[place], want[row + i], allowed[row + i]};
      }
    }
  }
}

// Whether there is something to compare with: data or a scale beyond float64's range has no answer.
bool judgeable(const at::Tensor& expected, const at::Tensor& bound) {
  const double* want = expected.const_data_ptr<double>();
  const double* allowed = bound.const_data_ptr<double>();
  for (int64_t i = 0; i < expected.numel(); ++i) {
    if (std::isnan(want[i]) || !std::isfinite(allowed[i])) return false;
  }
  return true;
}

Evidence evidence_of(const Worst& worst, const std::string& tensor, const at::Tensor& shard) {
  Evidence evidence;
  evidence.tensor = tensor;
  evidence.error = std::abs(worst.got - worst.expected);
  evidence.bound = worst.bound;
  evidence.rank = evidence.shard = worst.rank;
  evidence.index = index_of(worst.place, shard.sizes());
  evidence.expected = number_text(worst.expected, shard.scalar_type());
  evidence.got = number_text(worst.got, shard.scalar_type());
  const char* what = worst.pattern() ? "has NaN or infinities where the reference has others"
                                     : "differs from the reference by more than its bound";
  evidence.message = fmt::format("{} of rank {} {}: error {:.3g}, bound {:.3g}", tensor, worst.rank,
                                 what, evidence.error, evidence.bound);
  return evidence;
}

std::vector<int64_t> expected_sizes(const at::Tensor& expected, int64_t rows) {
  std::vector<int64_t> sizes = expected.sizes().vec();
  sizes[1] = rows;
  return sizes;
}

std::vector<int64_t> positions_of(const Request& request, const std::string& tensor, int rank) {
  return axis_of(tensor) == Axis::query ? q_positions(request.case_, rank)
                                        : kv_positions(request.case_, rank);
}

}  // namespace

std::vector<int64_t> index_of(int64_t place, at::IntArrayRef sizes) {
  std::vector<int64_t> index(sizes.size());
  for (size_t axis = sizes.size(); axis-- > 0;) {
    index[axis] = place % sizes[axis];
    place /= sizes[axis];
  }
  return index;
}

std::string index_text(at::IntArrayRef index) {
  return fmt::format("({})", fmt::join(index, ", "));
}

Verdict wrong_form(const std::string& tensor, int rank, const std::string& expected,
                   const std::string& got) {
  Evidence evidence;
  evidence.tensor = tensor;
  evidence.rank = evidence.shard = rank;
  evidence.expected = expected;
  evidence.got = got;
  evidence.message = fmt::format("{} of rank {} is {}, expected {}", tensor, rank, got, expected);
  return Verdict::fail(std::move(evidence));
}

Axis axis_of(const std::string& tensor) {
  return tensor == "dk" || tensor == "dv" ? Axis::key : Axis::query;
}

Verdict compare_shards(const Request& request, const Observation& observation,
                       const std::string& tensor, const at::Tensor& expected,
                       const at::Tensor& bound) {
  if (expected.numel() != bound.numel()) {
    return Verdict::not_run(tensor + ", put together of another run, is " +
                            index_text(expected.sizes()) + " where " + index_text(bound.sizes()) +
                            " is right");
  }
  const at::Tensor want = expected.to(at::kDouble).contiguous();
  const at::Tensor allowed = bound.to(at::kDouble).contiguous();
  if (!judgeable(want, allowed)) {
    return Verdict::not_run("what " + tensor +
                            " should be, or its bound, is not finite for this case");
  }
  Worst worst;
  for (const RankResult& rank : observation.ranks) {
    const std::vector<int64_t> positions = positions_of(request, tensor, rank.rank);
    const std::vector<int64_t> sizes = expected_sizes(want, static_cast<int64_t>(positions.size()));
    const auto found = rank.tensors.find(tensor);
    if (found == rank.tensors.end()) {
      return wrong_form(tensor, rank.rank, index_text(sizes), "missing");
    }
    if (found->second.sizes() != at::IntArrayRef(sizes)) {
      return wrong_form(tensor, rank.rank, index_text(sizes), index_text(found->second.sizes()));
    }
    scan(found->second.to(at::kDouble).contiguous(), want, allowed, positions, rank.rank, worst);
  }
  if (worst.share < 0) return Verdict::not_run(tensor + " has no element");
  Evidence evidence = evidence_of(worst, tensor, observation.ranks[worst.rank].tensors.at(tensor));
  return worst.share <= 1 ? Verdict::pass(std::move(evidence)) : Verdict::fail(std::move(evidence));
}

at::Tensor assemble(const Request& request, const Observation& observation,
                    const std::string& tensor) {
  const Problem& p = request.case_.problem;
  const int64_t rows = axis_of(tensor) == Axis::query ? p.q_len : p.kv_len;
  at::Tensor whole;
  for (const RankResult& rank : observation.ranks) {
    const auto found = rank.tensors.find(tensor);
    const std::vector<int64_t> positions = positions_of(request, tensor, rank.rank);
    if (found == rank.tensors.end() || found->second.dim() < 2 ||
        found->second.size(1) != static_cast<int64_t>(positions.size())) {
      return {};
    }
    if (!whole.defined()) {
      whole = at::full(expected_sizes(found->second, rows), std::nan(""), at::kDouble);
    }
    if (found->second.dim() != whole.dim() ||
        found->second.sizes().vec() != expected_sizes(whole, found->second.size(1))) {
      return {};
    }
    for (size_t i = 0; i < positions.size(); ++i) {
      whole.select(1, positions[i]).copy_(found->second.select(1, static_cast<int64_t>(i)));
    }
  }
  return whole;
}

Verdict compare_bits(const Observation& a, const Observation& b, const std::string& tensor) {
  for (size_t r = 0; r < a.ranks.size() && r < b.ranks.size(); ++r) {
    const auto in_a = a.ranks[r].tensors.find(tensor), in_b = b.ranks[r].tensors.find(tensor);
    const bool has_a = in_a != a.ranks[r].tensors.end(), has_b = in_b != b.ranks[r].tensors.end();
    if (!has_a && !has_b) continue;
    const int rank = static_cast<int>(r);
    if (has_a != has_b)
      return wrong_form(tensor, rank, has_a ? "there" : "missing", has_b ? "there" : "missing");
    const at::Tensor x = in_a->second.contiguous(), y = in_b->second.contiguous();
    if (x.sizes() != y.sizes() || x.scalar_type() != y.scalar_type()) {
      return wrong_form(tensor, rank, index_text(x.sizes()), index_text(y.sizes()));
    }
    const auto *bytes_x = static_cast<const char*>(x.data_ptr()),
               *bytes_y = static_cast<const char*>(y.data_ptr());
    for (int64_t i = 0; i < x.numel(); ++i) {
      const size_t width = x.element_size();
      if (std::memcmp(bytes_x + i * width, bytes_y + i * width, width) == 0) continue;
      const double first = x.flatten()[i].item<double>(), second = y.flatten()[i].item<double>();
      Worst worst{1, rank, i, second, first, 0};
      Evidence evidence = evidence_of(worst, tensor, x);
      evidence.message =
          fmt::format("{} of rank {} differs between two runs, bit by bit", tensor, rank);
      return Verdict::fail(std::move(evidence));
    }
  }
  return Verdict::pass();
}

}  // namespace attncheck
