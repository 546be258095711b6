#include <algorithm>
#include <cmath>

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

// An honest ring rounds each block's result to the narrow dtype, and the merged one again: blocks'
// roundings average out to the size of one, so that the error is sqrt(2) of one rank's where the
// kernel adds none of its own, whatever the degree. A sum that is rounded in every step has
// sqrt((R + 1) / 2) more.
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
  const int64_t tokens = std::min(p.q_len * p.heads, p.kv_len * p.kv_heads);
  const int64_t elements = p.batch * tokens * std::min(p.head_dim, p.v_head_dim);
  if (elements >= kFewestElements) return Support::yes();
  return Support::no(fmt::format("needs tensors of {} elements or more", kFewestElements));
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

// 2, 4, 8, ... and the case's own, where the subject does them.
std::vector<int> degrees(const Case& c, Lab& lab) {
  std::vector<int> all;
  for (int degree = 2; degree < c.mesh.ring; degree *= 2) {
    if (lab.supports(on_ring(c, degree))) all.push_back(degree);
  }
  all.push_back(c.mesh.ring);
  return all;
}

double root_mean_square(const at::Tensor& x) {
  return std::sqrt(x.square().mean().item<double>());
}

// Of a tensor's errors on all ranks; nothing where a rank did not give it.
std::optional<double> error_of(const Case& c, const std::string& tensor, Lab& lab) {
  const Request request = plain_request(c);
  const at::Tensor got = assemble(request, lab.observe(request), tensor);
  const at::Tensor& expected = value_of(lab.expected(request), tensor);
  if (!got.defined() || got.sizes() != expected.sizes()) return std::nullopt;
  return root_mean_square(got - expected);
}

// What one rounding of the result costs at least, so that a kernel that is exact is no measure.
double one_rounding(const Case& c, const std::string& tensor, Lab& lab) {
  const double unit = reference::unit_roundoff(scalar_type(c.problem.dtype));
  return unit / 4 * root_mean_square(value_of(lab.expected(plain_request(c)), tensor));
}

Verdict stays_flat(const Case& c, const std::string& tensor, Lab& lab) {
  const std::optional<double> alone = error_of(on_ring(c, 1), tensor, lab);
  if (!alone) return Verdict::not_run(tensor + " of ring degree 1 is missing or has another shape");
  const double base = std::max(*alone, one_rounding(c, tensor, lab));
  Evidence worst;
  worst.tensor = tensor;
  worst.bound = kMostGrowth;
  std::string by_degree = fmt::format("1: {:.3g}", *alone);
  for (int degree : degrees(c, lab)) {
    const std::optional<double> error = error_of(on_ring(c, degree), tensor, lab);
    if (!error)
      return Verdict::not_run(fmt::format("{} of ring degree {} is missing", tensor, degree));
    worst.error = std::max(worst.error, *error / base);
    by_degree += fmt::format(", {}: {:.3g}", degree, *error);
  }
  worst.expected = fmt::format("at most {} times that of ring degree 1", kMostGrowth);
  worst.got = fmt::format("{:.3g} times", worst.error);
  worst.message = fmt::format("the error of {} grows to {} with the ring degree ({})", tensor,
                              worst.got, by_degree);
  return worst.error <= kMostGrowth ? Verdict::pass(std::move(worst))
                                    : Verdict::fail(std::move(worst));
}

Verdict error_stays_flat(const Case& c, Lab& lab) {
  const Case one = on_ring(c, 1);
  if (const Support alone = lab.supports(one); !alone) {
    return Verdict::unsupported("not supported on ring degree 1: " + alone.reason);
  }
  std::vector<std::string> tensors = gradient_tensors(c);
  tensors.insert(tensors.begin(), "out");
  return judge_each(lab.observe(plain_request(c)), tensors,
                    [&](const std::string& tensor) { return stays_flat(c, tensor, lab); });
}

}  // namespace

Property error_does_not_grow_with_ring_degree() {
  Property property;
  property.name = "error_does_not_grow_with_ring_degree";
  property.explains = "in bfloat16 and float16 more ring ranks give no larger error than one";
  property.applies = [](const Case& c) {
    return all_of({needs_attention(c), needs_narrow_sums_in_float32(c), needs_ring(c),
                   needs_mild_scores(c), needs_many_elements(c)});
  };
  property.check = error_stays_flat;
  return property;
}

}  // namespace attncheck
