#include <cmath>

#include <fmt/format.h>

#include "impl/contract/collective.h"
#include "properties/checks/applies.h"
#include "properties/checks/collective_places.h"
#include "properties/checks/exact.h"
#include "properties/checks/exchange.h"
#include "properties/checks/judging.h"
#include "properties/compare.h"
#include "properties/inputs.h"

namespace attncheck {
namespace {

Verdict tags_arrive(const Case& c, const Collective& collective, Lab& lab) {
  if (!collective.origin) return Verdict::unsupported("the collective sums elements");
  Request request = plain_request(c);
  request.case_.problem.data = Data::tagged;
  request.backward = false;
  const Observation& observation = lab.observe(request);
  if (const auto nothing = nothing_to_judge(observation, "y")) return *nothing;
  const Places places(c, collective);
  if (const auto wrong = wrong_shape_of(observation, "y", places.output_shape())) return *wrong;
  return every_element(
      observation, "y", "is not the element that belongs there",
      [&](int rank, int64_t place, double value) -> std::optional<std::string> {
        const Origin origin = places.origin(rank, place);
        const double expected = tag(origin.rank, origin.index, places.input_shape());
        if (value == expected) return std::nullopt;
        return fmt::format("{:.9g} (rank {} at {}), and {:.9g} is {}", expected, origin.rank,
                           index_text(origin.index), value, places.owner_of_tag(value));
      });
}

struct Selected {
  at::Tensor out, dv;
};

// Row by row: out_i = v_t and dv_t += dout_i, for the key t that query i selects.
Selected selected_by(const Request& request, const Expected& expected) {
  const Case& c = request.case_;
  const Problem& p = c.problem;
  const at::Tensor v = expected.inputs.v.to(at::kDouble).contiguous();
  const at::Tensor dout = expected.dout.to(at::kDouble).contiguous();
  Selected selected{expected.forward.out.new_zeros(expected.forward.out.sizes()),
                    v.new_zeros(v.sizes())};
  const double *from = v.const_data_ptr<double>(), *cotangent = dout.const_data_ptr<double>();
  double *out = selected.out.data_ptr<double>(), *dv = selected.dv.data_ptr<double>();
  int64_t row = 0;
  for (int64_t b = 0; b < p.batch; ++b)
    for (int64_t i = 0; i < p.q_len; ++i)
      for (int64_t h = 0; h < p.heads; ++h, ++row) {
        const int64_t key = selected_key(c, b, i, h);
        if (key < 0) continue;
        const int64_t group = h / (p.heads / p.kv_heads);
        const int64_t there = ((b * p.kv_len + key) * p.kv_heads + group) * p.v_head_dim;
        for (int64_t d = 0; d < p.v_head_dim; ++d) {
          out[row * p.v_head_dim + d] = from[there + d];
          dv[there + d] += cotangent[row * p.v_head_dim + d];
        }
      }
  return selected;
}

// With a scale that is a power of two every score is exact, whatever the order of its operations.
Request exact_request(const Case& c) {
  Request request = plain_request(c);
  const double scale = effective_scale(c.problem);
  request.case_.problem.scale =
      std::copysign(std::exp2(std::round(std::log2(std::abs(scale)))), scale);
  return request;
}

Verdict rows_arrive(const Case& c, Lab& lab) {
  if (c.problem.data != Data::selector) return Verdict::unsupported("needs data=selector");
  const Request request = exact_request(c);
  const Observation& observation = lab.observe(request);
  if (const auto nothing = nothing_to_judge(observation, "out")) return *nothing;
  const Selected selected = selected_by(request, lab.expected(request));
  std::vector<std::string> tensors{"out"};
  if (c.grad.v) tensors.push_back("dv");
  return judge_each(observation, tensors, [&](const std::string& tensor) {
    const at::Tensor& want = tensor == "out" ? selected.out : selected.dv;
    const at::Tensor exactly = want.new_zeros(want.sizes());
    return compared_with("the rows that the queries select",
                         compare_shards(request, observation, tensor, want, exactly));
  });
}

Support carries_integers(const Case& c) {
  const std::string kind = subject_kind(c);
  const bool collective = kind == "collective", attention = kind.empty();
  if (attention && c.problem.data != Data::selector) return Support::no("needs data=selector");
  if (!collective && effective_scale(c.problem) == 0) return Support::no("every score is zero");
  if (!collective &&
      (c.problem.mask != Mask::none || c.problem.window || !c.problem.documents.empty())) {
    return Support::no("a mask, a window or documents move the selection");
  }
  return needs_exact_integers(c);
}

}  // namespace

Property tagged_integers_arrive_bitwise() {
  Property property;
  property.name = "tagged_integers_arrive_bitwise";
  property.explains = "each element arrives where it belongs, with all its bits";
  property.subjects = {SubjectKind::implementation, SubjectKind::local, SubjectKind::collective};
  property.applies = carries_integers;
  property.check = [](const Case& c, Lab& lab) {
    const Collective* collective = lab.collective(c);
    return collective != nullptr ? tags_arrive(c, *collective, lab) : rows_arrive(c, lab);
  };
  return property;
}

}  // namespace attncheck
