#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "impl/contract/collective.h"
#include "properties/checks/applies.h"
#include "properties/checks/collective_places.h"
#include "properties/checks/exact.h"
#include "properties/checks/exchange.h"
#include "properties/checks/judging.h"
#include "properties/inputs.h"

namespace attncheck {
namespace {

using PerRank = std::vector<at::Tensor>;  // float64, contiguous

PerRank tensors_of(const Observation& observation, const std::string& name) {
  PerRank tensors;
  for (const RankResult& rank : observation.ranks) {
    tensors.push_back(rank.tensors.at(name).to(at::kDouble).contiguous());
  }
  return tensors;
}

template <typename Make>
PerRank made(int world, const Make& make) {
  PerRank tensors;
  for (int rank = 0; rank < world; ++rank) {
    tensors.push_back(make(rank).to(at::kDouble).contiguous());
  }
  return tensors;
}

double inner_product(const PerRank& a, const PerRank& b) {
  double sum = 0;
  for (size_t rank = 0; rank < a.size(); ++rank) {
    const double *x = a[rank].const_data_ptr<double>(), *y = b[rank].const_data_ptr<double>();
    for (int64_t i = 0; i < a[rank].numel(); ++i) sum += x[i] * y[i];
  }
  return sum;
}

// A* y by the specification: each cotangent goes back to where its element came from.
PerRank adjoint(const Places& places, const PerRank& cotangents) {
  PerRank dx;
  const Places::Shape& shape = places.input_shape();
  for (const at::Tensor& cotangent : cotangents) dx.push_back(cotangent.new_zeros(shape));
  for (size_t rank = 0; rank < cotangents.size(); ++rank) {
    const double* y = cotangents[rank].const_data_ptr<double>();
    for (int64_t place = 0; place < places.outputs(); ++place) {
      const Origin origin = places.origin(static_cast<int>(rank), place);
      dx[origin.rank].data_ptr<double>()[places.input_place(origin.index)] += y[place];
    }
  }
  return dx;
}

bool forward_is_as_specified(const Places& places, const PerRank& x, const PerRank& y) {
  for (size_t rank = 0; rank < y.size(); ++rank) {
    const double* got = y[rank].const_data_ptr<double>();
    for (int64_t place = 0; place < places.outputs(); ++place) {
      const Origin origin = places.origin(static_cast<int>(rank), place);
      const double* from = x[origin.rank].const_data_ptr<double>();
      if (got[place] != from[places.input_place(origin.index)]) return false;
    }
  }
  return true;
}

Verdict sums_differ(double forward, double backward, const std::string& where) {
  Evidence evidence;
  evidence.tensor = "dx";
  evidence.error = std::abs(forward - backward);
  evidence.expected = fmt::format("{:.9g}", forward);
  evidence.got = fmt::format("{:.9g}", backward);
  evidence.message = fmt::format(
      "with a cotangent on {}, the sum over ranks of <x, A* y> is {}, but that of "
      "<A x, y> is {}",
      where, evidence.got, evidence.expected);
  return Verdict::fail(std::move(evidence));
}

// Names the first element of dx that the specification's adjoint has otherwise.
Verdict dx_is_adjoint(const Observation& observation, const PerRank& expected,
                      const std::string& where) {
  return every_element(observation, "dx", "is not the adjoint of a cotangent on " + where,
                       [&](int rank, int64_t place, double value) -> std::optional<std::string> {
                         const double want = expected[rank].const_data_ptr<double>()[place];
                         if (value == want) return std::nullopt;
                         return fmt::format("{:.9g}", want);
                       });
}

Verdict is_adjoint(const Request& request, const Places& places, const Observation& observation,
                   const std::string& where) {
  for (const auto& [tensor, shape] :
       {std::pair{"y", places.output_shape()}, std::pair{"dx", places.input_shape()}}) {
    if (const auto nothing = nothing_to_judge(observation, tensor)) return *nothing;
    if (const auto wrong = wrong_shape_of(observation, tensor, shape)) return *wrong;
  }
  const int world = request.case_.mesh.world();
  const PerRank x =
      made(world, [&](int rank) { return collective_input(request, rank, places.input_shape()); });
  const PerRank cotangent = made(
      world, [&](int rank) { return collective_cotangent(request, rank, places.output_shape()); });
  const PerRank y = tensors_of(observation, "y"), dx = tensors_of(observation, "dx");
  if (places.specified() && forward_is_as_specified(places, x, y)) {
    return dx_is_adjoint(observation, adjoint(places, cotangent), where);
  }
  const double forward = inner_product(y, cotangent), backward = inner_product(x, dx);
  return forward == backward ? Verdict::pass() : sums_differ(forward, backward, where);
}

Verdict backward_is_adjoint(const Case& c, Lab& lab) {
  const Collective* collective = lab.collective(c);
  if (collective == nullptr) return Verdict::unsupported("speaks of collectives");
  const Places places(c, *collective);
  const Request everywhere = plain_request(c);
  Request on_one = everywhere;
  on_one.dout = {Cotangent::Kind::one_rank, 0};
  const Verdict all = is_adjoint(everywhere, places, lab.observe(everywhere), "every rank");
  return worse(all, is_adjoint(on_one, places, lab.observe(on_one), "rank 0 alone"));
}

}  // namespace

Property collective_backward_is_its_adjoint() {
  Property property;
  property.name = "collective_backward_is_its_adjoint";
  property.explains = "a collective's backward is the transpose of its forward over all ranks";
  property.subjects = {SubjectKind::collective};
  property.applies = [](const Case& c) {
    return all_of({needs_gradient(c), needs_exact_integers(c)});
  };
  property.check = backward_is_adjoint;
  return property;
}

}  // namespace attncheck
