#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include <ATen/TensorOperators.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/square.h>
#include <c10/core/ScalarType.h>
#include <fmt/format.h>

#include "impl/contract/dtypes.h"
#include "problem/case_text.h"
#include "properties/checks/applies.h"
#include "properties/checks/judging.h"
#include "properties/checks/values.h"
#include "properties/compare.h"
#include "reference/roundoff.h"

namespace attncheck {
namespace {

// An honest ring rounds each block's result to the narrow dtype, and the merged one again: up to
// 1.7 times one rank's error where the kernel adds none of its own, on two ranks as on sixteen. A
// sum that is rounded in every step has 1.3 times the error of two ranks on four, 1.65 times on
// eight, 2.2 times on sixteen. (Gradients are not judged: a fused kernel rounds each block's, and
// blocks may cancel.)
constexpr double kMostGrowth = 1.5;
// So many elements that the root mean square of their errors stands within a few percent.
constexpr int64_t kFewestElements = 2048;

Support needs_narrow_sums_in_float32(const Case& c) {
  const DType dtype = c.problem.dtype;
  if (dtype != DType::bf16 && dtype != DType::f16) {
    return Support::no("about bfloat16 and float16: wider dtypes accumulate in themselves");
  }
  return c.convert_to_fp32 ? Support::yes() : Support::no("needs fp32=1");
}

Support needs_many_elements(const Case& c) {
  const Problem& p = c.problem;
  // With a scale of 0 all queries and heads that see the same keys give the same bits.
  const int64_t rows = effective_scale(p) == 0 ? p.kv_heads : p.q_len * p.heads;
  if (p.batch * rows * p.v_head_dim >= kFewestElements) return Support::yes();
  return Support::no(
      fmt::format("needs an out of {} elements or more, not all alike", kFewestElements));
}

Support needs_ring(const Case& c) {
  return c.mesh.ring > 1 ? Support::yes() : Support::no("needs a ring degree above 1");
}

Case on_ring(const Case& c, int degree) {
  Case other = c;
  other.mesh.ring = degree;
  other.problem.shards.clear();
  if (other.mesh.world() == 1) other.schedule.clear();
  return other;
}

// 4, 8, ... at least to 8, and the case's own, where the subject does them.
std::vector<int> degrees(const Case& c, Lab& lab) {
  std::vector<int> all;
  for (int degree = 4; degree <= std::max(8, c.mesh.ring); degree *= 2) {
    if (lab.supports(on_ring(c, degree))) all.push_back(degree);
  }
  if (std::find(all.begin(), all.end(), c.mesh.ring) == all.end()) all.push_back(c.mesh.ring);
  return all;
}

double root_mean_square(const at::Tensor& x) {
  return std::sqrt(x.square().mean().item<double>());
}

// Of a tensor's errors on all ranks, infinity where one is not a number; nothing where a rank did
// not give it.
std::optional<double> error_of(const Case& c, const std::string& tensor, Lab& lab) {
  const Request request = plain_request(c);
  const at::Tensor got = assemble(request, lab.observe(request), tensor);
  const at::Tensor& expected = value_of(lab.expected(request), tensor);
  if (!got.defined() || got.sizes() != expected.sizes()) return std::nullopt;
  const double error = root_mean_square(got - expected);
  return std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
}

// What one rounding of the result costs at least, so that a kernel that is exact is no measure.
double one_rounding(const Case& c, const std::string& tensor, Lab& lab) {
  const double unit = reference::unit_roundoff(scalar_type(c.problem.dtype));
  return unit / 4 * root_mean_square(value_of(lab.expected(plain_request(c)), tensor));
}

// The errors by ring degree; nothing from the first one on that could not be run.
std::map<int, double> errors_by_degree(const Case& c, const std::string& tensor, Lab& lab) {
  std::vector<int> wanted = degrees(c, lab);
  wanted.insert(wanted.begin(), {1, 2});
  std::map<int, double> errors;
  for (int degree : wanted) {
    const std::optional<double> error = error_of(on_ring(c, degree), tensor, lab);
    if (!error) break;
    errors[degree] = *error;
  }
  return errors;
}

std::string text_of(const std::map<int, double>& errors) {
  std::string text;
  for (const auto& [degree, error] : errors) {
    text += fmt::format("{}{}: {:.3g}", text.empty() ? "" : ", ", degree, error);
  }
  return text;
}

Verdict stays_flat(const Case& c, const std::string& tensor, Lab& lab) {
  const std::map<int, double> errors = errors_by_degree(c, tensor, lab);
  if (errors.size() < 3) {
    return Verdict::not_run(tensor + " on ring degrees 1, 2 and 4 is missing or has another shape");
  }
  const double base = std::max({errors.at(1), errors.at(2), one_rounding(c, tensor, lab)});
  if (!std::isfinite(base)) {
    return Verdict::not_run(tensor +
                            " is not finite on ring degrees 1 and 2, which are the measure");
  }
  Evidence worst;
  worst.tensor = tensor;
  worst.bound = kMostGrowth;
  for (const auto& [degree, error] : errors) worst.error = std::max(worst.error, error / base);
  worst.expected = fmt::format("at most {} times that of ring degrees 1 and 2", kMostGrowth);
  worst.got = fmt::format("{:.3g} times", worst.error);
  worst.message = fmt::format("the error of {} grows to {} with the ring degree ({})", tensor,
                              worst.got, text_of(errors));
  return worst.error <= kMostGrowth ? Verdict::pass(std::move(worst))
                                    : Verdict::fail(std::move(worst));
}

Verdict error_stays_flat(const Case& c, Lab& lab) {
  for (int degree : {1, 2, 4}) {
    const Support support = lab.supports(on_ring(c, degree));
    if (!support) {
      return Verdict::unsupported(
          fmt::format("not supported on ring degree {}: {}", degree, support.reason));
    }
  }
  return judge_each(lab.observe(plain_request(c)), {"out"},
                    [&](const std::string& tensor) { return stays_flat(c, tensor, lab); });
}

}  // namespace

Property error_does_not_grow_with_ring_degree() {
  Property property;
  property.name = "error_does_not_grow_with_ring_degree";
  property.explains =
      "in bfloat16 and float16 the error of out is as large on many ring ranks as on few";
  property.applies = [](const Case& c) {
    return all_of({needs_attention(c), needs_narrow_sums_in_float32(c), needs_ring(c),
                   needs_mild_scores(c), needs_many_elements(c)});
  };
  property.check = error_stays_flat;
  return property;
}

}  // namespace attncheck
