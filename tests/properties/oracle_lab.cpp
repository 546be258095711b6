#include "tests/properties/oracle_lab.h"

#include <cmath>
#include <stdexcept>

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>

#include "impl/contract/dtypes.h"
#include "problem/case_text.h"
#include "properties/inputs.h"
#include "properties/merge_inputs.h"
#include "properties/merge_trees.h"
#include "properties/property.h"
#include "properties/reference_inputs.h"
#include "properties/token_positions.h"
#include "reference/evaluation.h"

namespace attncheck {
namespace {

at::Tensor rows_at(const at::Tensor& whole, const std::vector<int64_t>& positions) {
  std::vector<int64_t> sizes = whole.sizes().vec();
  sizes[1] = static_cast<int64_t>(positions.size());
  at::Tensor rows = whole.new_empty(sizes);
  for (size_t i = 0; i < positions.size(); ++i) {
    rows.select(1, static_cast<int64_t>(i)).copy_(whole.select(1, positions[i]));
  }
  return rows;
}

RankResult attention_on(const Request& request, const Expected& expected, int rank) {
  const Case& c = request.case_;
  const at::ScalarType io = scalar_type(c.problem.dtype);
  const auto queries = q_positions(c, rank), keys = kv_positions(c, rank);
  RankResult result;
  result.rank = rank;
  result.tensors["out"] = rows_at(expected.forward.out, queries).to(io);
  if (c.return_lse) {
    result.tensors["lse"] = rows_at(expected.forward.lse, queries).to(lse_scalar_type(io));
    result.facts["lse_requires_grad"] = "1";
  }
  if (!request.backward) return result;
  if (c.grad.q) result.tensors["dq"] = rows_at(expected.gradients.dq, queries).to(io);
  if (c.grad.k) result.tensors["dk"] = rows_at(expected.gradients.dk, keys).to(io);
  if (c.grad.v) result.tensors["dv"] = rows_at(expected.gradients.dv, keys).to(io);
  return result;
}

void add_direct_call(RankResult& result) {
  if (result.tensors.count("lse")) result.tensors["raw_lse"] = result.tensors["lse"].clone();
  for (const char* name : {"dq", "dk", "dv"}) {
    if (result.tensors.count(name) == 0) continue;
    result.tensors["direct_" + std::string(name)] = result.tensors[name].clone();
  }
}

void add_inputs(const Request& request, RankResult& result) {
  const InputTensors inputs = rank_inputs(request, result.rank);
  const std::pair<const char*, at::Tensor> named[] = {
      {"q", inputs.q}, {"k", inputs.k}, {"v", inputs.v}, {"dout", inputs.dout}};
  for (const auto& [name, tensor] : named) {
    for (const char* when : {"_given", "_after_forward", "_after_backward"}) {
      result.tensors[name + std::string(when)] = tensor.clone();
    }
  }
}

// The dense result, once for each tree.
Observation merge_run(const Case& c) {
  const Problem& p = c.problem;
  const at::ScalarType dtype = scalar_type(p.dtype);
  const reference::Forward dense = reference::forward(dense_inputs(merge_inputs(c)));
  const auto trees = static_cast<int64_t>(MergeTrees(static_cast<int>(p.kv_len)).roots().size());
  RankResult result;
  result.tensors["out"] =
      dense.out.view({p.batch, p.q_len, p.heads, p.v_head_dim}).repeat({trees, 1, 1, 1}).to(dtype);
  result.tensors["lse"] =
      dense.lse.view({p.batch, p.q_len, p.heads}).repeat({trees, 1, 1}).to(lse_scalar_type(dtype));
  return {{result}, false, ""};
}

// A model of two parameters, the same on every rank, rounded to the case's dtype.
Observation model_run(const Case& c) {
  const auto numbers = [&](std::vector<int64_t> sizes, double from) {
    const at::Tensor x = at::empty(sizes, at::kDouble);
    for (int64_t i = 0; i < x.numel(); ++i) x.view({-1})[i].fill_(std::sin(from + 0.7 * double(i)));
    return x.to(scalar_type(c.problem.dtype));
  };
  Observation observation;
  for (int rank = 0; rank < c.mesh.world(); ++rank) {
    RankResult result;
    result.rank = rank;
    result.tensors["out"] = numbers({c.problem.batch, c.problem.q_len, 2}, 1);
    result.tensors["loss"] = numbers({}, 2) / c.mesh.world();
    result.tensors["gradient of inner.weight"] = numbers({2, 3}, 3);
    result.tensors["gradient of outer.weight"] = numbers({4}, 4);
    result.tensors["replicated input text"] = numbers({3}, 5);
    observation.ranks.push_back(std::move(result));
  }
  return observation;
}

// Every rank's y and dx by the specification, element by element.
Observation collective_run(const Request& request, const Collective& collective) {
  const Case& c = request.case_;
  const auto in = collective.input_shape(c), out = collective.output_shape(c);
  const at::ScalarType dtype = scalar_type(c.problem.dtype);
  std::vector<at::Tensor> x, y, dy, dx;
  for (int rank = 0; rank < c.mesh.world(); ++rank) {
    x.push_back(collective_input(request, rank, in).to(at::kDouble));
    dy.push_back(collective_cotangent(request, rank, out).to(at::kDouble));
    y.push_back(x[rank].new_zeros(out));
    dx.push_back(x[rank].new_zeros(in));
  }
  const auto element = [](const at::Tensor& t, const std::array<int64_t, 4>& i) {
    return t[i[0]][i[1]][i[2]][i[3]];
  };
  for (int rank = 0; rank < c.mesh.world(); ++rank)
    for (int64_t b = 0; b < out[0]; ++b)
      for (int64_t s = 0; s < out[1]; ++s)
        for (int64_t h = 0; h < out[2]; ++h)
          for (int64_t d = 0; d < out[3]; ++d) {
            const Origin from = collective.origin(c, rank, {b, s, h, d});
            element(y[rank], {b, s, h, d}).copy_(element(x[from.rank], from.index));
            element(dx[from.rank], from.index).add_(element(dy[rank], {b, s, h, d}));
          }
  Observation observation;
  for (int rank = 0; rank < c.mesh.world(); ++rank) {
    RankResult result;
    result.rank = rank;
    result.tensors["y"] = y[rank].to(dtype);
    if (request.backward) result.tensors["dx"] = dx[rank].to(dtype);
    observation.ranks.push_back(std::move(result));
  }
  return observation;
}

Observation refused_run(const Case& c, const std::string& reason) {
  Observation observation;
  for (int rank = 0; rank < c.mesh.world(); ++rank) {
    RankResult result;
    result.rank = rank;
    result.error = RankError{Phase::forward, reason};
    observation.ranks.push_back(std::move(result));
  }
  return observation;
}

const Property& property_of(const std::string& name) {
  for (const Property& property : all_properties()) {
    if (property.name == name) return property;
  }
  throw std::out_of_range("no property " + name);
}

}  // namespace

void OracleLab::add(int rank, const std::string& tensor, double delta) {
  add_when([](const Request&) { return true; }, rank, tensor, delta);
}

void OracleLab::add_when(std::function<bool(const Request&)> when, int rank,
                         const std::string& tensor, double delta) {
  plant([=](const Request& request, Observation& observation) {
    if (!when(request) || rank >= static_cast<int>(observation.ranks.size())) return;
    const auto found = observation.ranks[rank].tensors.find(tensor);
    if (found == observation.ranks[rank].tensors.end()) return;
    found->second.view({-1})[0].add_(delta);
  });
}

void OracleLab::fail(int rank, Phase phase, const std::string& text) {
  plant([=](const Request&, Observation& observation) {
    RankResult& result = observation.ranks.at(rank);
    result.error = RankError{phase, text};
    if (phase <= Phase::forward) result.tensors.clear();
    for (const char* gradient : {"dq", "dk", "dv", "dx"}) result.tensors.erase(gradient);
  });
}

Observation OracleLab::attention_run(const Request& request) {
  const Case& c = request.case_;
  const Expected& truth = expected(request);
  Observation observation;
  for (int rank = 0; rank < c.mesh.world(); ++rank) {
    RankResult result = attention_on(request, truth, rank);
    if (request.keep_inputs) add_inputs(request, result);
    if (c.impl == "local") add_direct_call(result);
    observation.ranks.push_back(std::move(result));
  }
  if (request.company == Company::interleaved) {
    const Observation other = attention_run(companion_request(request));
    for (size_t rank = 0; rank < other.ranks.size(); ++rank) {
      for (const auto& [name, tensor] : other.ranks[rank].tensors) {
        observation.ranks[rank].tensors["other_" + name] = tensor;
      }
    }
  }
  return observation;
}

const Observation& OracleLab::observe(const Request& request) {
  std::unique_ptr<Observation>& slot = observations_[to_text(request)];
  if (slot) return *slot;
  const Case& c = request.case_;
  slot = std::make_unique<Observation>();
  if (const Support support = supports_case(c); !support) {
    *slot = refused_run(c, support.reason);
  } else if (subject_kind(c) == "merge") {
    *slot = merge_run(c);
  } else if (subject_kind(c) == "model") {
    *slot = model_run(c);
  } else if (collective_subject) {
    *slot = collective_run(request, *collective_subject);
  } else {
    *slot = attention_run(request);
  }
  for (const Plant& plant : plants_) plant(request, *slot);
  return *slot;
}

const Expected& OracleLab::expected(const Request& request) {
  std::unique_ptr<Expected>& slot = expectations_[to_text(request)];
  if (slot) return *slot;
  const InputTensors tensors = global_inputs(request);
  const at::ScalarType io = scalar_type(request.case_.problem.dtype);
  slot = std::make_unique<Expected>();
  slot->inputs = reference_inputs(request, tensors);
  slot->dout = tensors.dout;
  slot->dlse = tensors.dlse;
  reference::Evaluation evaluation = reference::evaluate(
      slot->inputs, tensors.dout, tensors.dlse,
      reference::BoundContext{io, lse_scalar_type(io), request.case_.mesh.ring});
  slot->forward = std::move(evaluation.forward);
  slot->gradients = std::move(evaluation.gradients);
  slot->bounds = std::move(evaluation.bounds);
  return *slot;
}

at::Tensor& tensor_of(Observation& observation, int rank, const std::string& name) {
  return observation.ranks.at(rank).tensors.at(name);
}

Verdict judge(const std::string& property, const std::string& case_text, Lab& lab) {
  return property_of(property).check(parse_case(case_text), lab);
}

Support applies(const std::string& property, const std::string& case_text) {
  return property_of(property).applies(parse_case(case_text));
}

}  // namespace attncheck
