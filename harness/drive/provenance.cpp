#include "harness/drive/provenance.h"

#include <algorithm>
#include <functional>

#include <ATen/TensorOperators.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros_like.h>
#include <fmt/format.h>

#include "harness/drive/contribution_row.h"
#include "harness/drive/query_parts.h"
#include "harness/drive/ring_steps.h"
#include "properties/token_positions.h"

namespace attncheck {
namespace {

using Fate = Contribution::Fate;

// A sum of up to three contributions may be off by the sum of their bounds, and one more for it.
constexpr double kSlack = 4;

at::Tensor rows_at(const at::Tensor& global, const std::vector<int64_t>& positions) {
  return global.index_select(1, at::tensor(positions, at::kLong));
}

// A rank's tensor in float64; undefined where it is absent.
at::Tensor got_of(const Observation& observation, int rank, const std::string& name) {
  const auto& tensors = observation.ranks.at(rank).tensors;
  const auto found = tensors.find(name);
  return found == tensors.end() ? at::Tensor() : found->second.to(at::kDouble);
}

Request plain_run(const Case& c) {
  Request request = base_request(c);
  request.dlse = {};
  return request;
}

struct Gradient {
  const char* name;  // of the tensor
  at::Tensor reference::Gradients::*value;
  at::Tensor reference::Bounds::*bound;
};
constexpr Gradient kKeyGradients[] = {
    {"dk", &reference::Gradients::dk, &reference::Bounds::dk},
    {"dv", &reference::Gradients::dv, &reference::Bounds::dv},
};

std::vector<at::Tensor> expected_shards(const Case& c, const at::Tensor& global) {
  std::vector<at::Tensor> shards;
  for (int rank = 0; rank < c.mesh.world(); ++rank) {
    shards.push_back(rows_at(global, kv_positions(c, rank)));
  }
  return shards;
}

class Explainer {
 public:
  Explainer(const Case& c, Lab& lab) : case_(c), lab_(lab) { provenance_.case_ = c; }

  Provenance run() {
    trace_forward();
    for (const Gradient& gradient : kKeyGradients) trace_gradient(gradient);
    check_sums();
    name_step();
    return std::move(provenance_);
  }

 private:
  int world() const { return case_.mesh.world(); }

  void note(const std::string& text) {
    std::vector<std::string>& notes = provenance_.notes;
    if (std::find(notes.begin(), notes.end(), text) == notes.end()) notes.push_back(text);
  }

  // Every rank's shard of a tensor; empty, with a note, when a rank has none or another shape.
  std::vector<at::Tensor> shards_of(const Observation& observation, const std::string& name,
                                    const std::vector<at::Tensor>& like) {
    if (const RankResult* failed = first_failed_rank(observation)) {
      provenance_.ran = false;
      note(error_text(*failed));
    }
    std::vector<at::Tensor> shards;
    for (int rank = 0; rank < world(); ++rank) {
      at::Tensor got = got_of(observation, rank, name);
      if (got.defined() && got.sizes() == like[rank].sizes()) {
        shards.push_back(std::move(got));
        continue;
      }
      provenance_.ran = false;
      note(fmt::format("{} of rank {} is {}", name, rank,
                       got.defined() ? "of the wrong shape" : "absent"));
      return {};
    }
    return shards;
  }

  bool asked(const std::string& name) {
    const bool asked = name == "dk" ? case_.grad.k : name == "dv" ? case_.grad.v : case_.grad.q;
    if (!asked) note(name + " is not asked for by grad=");
    return asked;
  }

  std::optional<ContributionMatrix>& matrix_of(const std::string& name) {
    return name == "dk" ? provenance_.dk : provenance_.dv;
  }

  void trace_gradient(const Gradient& gradient) {
    if (!asked(gradient.name)) return;
    ContributionMatrix matrix;
    for (int query_rank = 0; query_rank < world(); ++query_rank) {
      Request request = plain_run(case_);
      request.dout = {Cotangent::Kind::one_rank, query_rank};
      const Expected& expected = lab_.expected(request);
      const auto terms = expected_shards(case_, expected.gradients.*gradient.value);
      const auto got = shards_of(lab_.observe(request), gradient.name, terms);
      if (got.empty()) return;
      const double bound = kSlack * largest(expected.bounds.*gradient.bound);
      matrix.push_back(trace_row(got, terms, bound));
    }
    matrix_of(gradient.name) = std::move(matrix);
  }

  Request mass_run() const;
  void trace_forward();
  void name_step();
  void check_sums();
  void check_sum(const Gradient& gradient, const Expected& expected, const Observation& got);
  void check_dq(const Expected& expected, const Observation& observation);
  void trace_dq(const Expected& expected, const std::vector<at::Tensor>& got);

  const Case& case_;
  Lab& lab_;
  Provenance provenance_;
};

// The mass of one key shard in the output of a shard_indicator run, (B, S, H): see ValueEdit.
at::Tensor mass_of(const Case& c, const at::Tensor& out, int shard) {
  const int64_t columns = c.problem.v_head_dim;
  return out.narrow(0, shard / columns * c.problem.batch, c.problem.batch)
      .select(3, shard % columns);
}

// exp(got - expected), which turns the share of a row's mass into the unnormalised mass; 1 where
// either is infinite. (B, S, H)
at::Tensor mass_factor(const Case& c, const at::Tensor& got, const at::Tensor& expected) {
  const at::Tensor gap = got - expected;
  const at::Tensor finite = at::where(at::isfinite(gap), gap, at::zeros_like(gap));
  return at::exp(finite).narrow(0, 0, c.problem.batch);
}

Fate mass_fate(const at::Tensor& got, const at::Tensor& factor, const at::Tensor& expected,
               double bound) {
  const auto near = [&](const at::Tensor& a, const at::Tensor& b) {
    return largest(a - b) <= bound && at::isfinite(a).all().item<bool>();
  };
  const bool none = largest(expected) <= bound;
  if (near(got, expected)) return none ? Fate::none : Fate::ok;
  const at::Tensor counted = got * factor;
  if (near(counted, at::zeros_like(counted))) return Fate::missing;
  if (near(counted, 2 * expected)) return Fate::doubled;
  return near(counted, expected) ? Fate::ok : Fate::wrong;
}

// Forward alone, V one-hot by key shard.
Request Explainer::mass_run() const {
  Request request = base_request(case_);
  request.dout = request.dlse = {};
  request.value = ValueEdit::shard_indicator;
  request.backward = false;
  return request;
}

void Explainer::name_step() {
  const auto steps = ring_steps(case_, lab_.observe(mass_run()));
  if (steps) provenance_.first_wrong_step = first_wrong_steps(*steps, provenance_);
}

void Explainer::trace_forward() {
  const Request request = mass_run();
  const Expected& expected = lab_.expected(request);
  std::vector<at::Tensor> out, lse;
  for (int rank = 0; rank < world(); ++rank) {
    out.push_back(rows_at(expected.forward.out, q_positions(case_, rank)));
    lse.push_back(rows_at(expected.forward.lse, q_positions(case_, rank)));
  }
  const Observation& observation = lab_.observe(request);
  const auto got = shards_of(observation, "out", out);
  if (got.empty()) return;
  const auto got_lse =
      case_.return_lse ? shards_of(observation, "lse", lse) : std::vector<at::Tensor>{};
  const double bound = kSlack * largest(expected.bounds.out);
  ContributionMatrix matrix(world());
  for (int rank = 0; rank < world(); ++rank) {
    const at::Tensor factor =
        mass_factor(case_, got_lse.empty() ? lse[rank] : got_lse[rank], lse[rank]);
    for (int shard = 0; shard < world(); ++shard) {
      const at::Tensor mass = mass_of(case_, out[rank], shard);
      matrix[rank].push_back(
          {mass_fate(mass_of(case_, got[rank], shard), factor, mass, bound), {}});
    }
  }
  provenance_.out = std::move(matrix);
}

// Over ranks, element by element of their shards; over tokens as well where shards are unequal.
void Explainer::check_sum(const Gradient& gradient, const Expected& expected,
                          const Observation& observation) {
  if (!asked(gradient.name)) return;
  const auto terms = expected_shards(case_, expected.gradients.*gradient.value);
  const auto got = shards_of(observation, gradient.name, terms);
  if (got.empty()) return;
  const bool equal = std::all_of(terms.begin(), terms.end(), [&](const at::Tensor& t) {
    return t.sizes() == terms[0].sizes();
  });
  const auto term = [equal](const at::Tensor& t) { return equal ? t : t.sum(1); };
  at::Tensor difference = term(got[0]) - term(terms[0]);
  for (int rank = 1; rank < world(); ++rank) difference += term(got[rank]) - term(terms[rank]);
  ValueCheck check;
  check.name = gradient.name == std::string("dk") ? "dK" : "dV";
  check.error = largest(difference);
  check.bound = largest(expected.bounds.*gradient.bound) *
                static_cast<double>(equal ? world() : case_.problem.kv_len);
  check.ok = check.error <= check.bound;
  provenance_.sums.push_back(check);
}

void Explainer::check_dq(const Expected& expected, const Observation& observation) {
  if (!asked("dq")) return;
  std::vector<at::Tensor> terms;
  for (int rank = 0; rank < world(); ++rank) {
    terms.push_back(rows_at(expected.gradients.dq, q_positions(case_, rank)));
  }
  const auto got = shards_of(observation, "dq", terms);
  for (int rank = 0; rank < static_cast<int>(got.size()); ++rank) {
    ValueCheck check;
    check.name = fmt::format("dQ of rank {}", rank);
    check.error = largest(got[rank] - terms[rank]);
    check.bound = largest(expected.bounds.dq);
    check.ok = check.error <= check.bound;
    provenance_.dq.push_back(check);
  }
  if (!got.empty()) trace_dq(expected, got);
}

void Explainer::trace_dq(const Expected& expected, const std::vector<at::Tensor>& got) {
  const std::vector<at::Tensor> parts = query_parts(case_, expected);
  const double bound = kSlack * largest(expected.bounds.dq);
  ContributionMatrix matrix;
  for (int rank = 0; rank < world(); ++rank) {
    std::vector<at::Tensor> own;
    for (const at::Tensor& part : parts) own.push_back(rows_at(part, q_positions(case_, rank)));
    matrix.push_back(parts_in(got[rank], own, bound));
  }
  provenance_.dq_parts = std::move(matrix);
}

void Explainer::check_sums() {
  const Request request = plain_run(case_);
  const Expected& expected = lab_.expected(request);
  const Observation& observation = lab_.observe(request);
  for (const Gradient& gradient : kKeyGradients) check_sum(gradient, expected, observation);
  check_dq(expected, observation);
}

bool has_fault(const std::optional<ContributionMatrix>& matrix) {
  if (!matrix) return false;
  for (const auto& row : *matrix) {
    for (const Contribution& contribution : row) {
      if (contribution.fault()) return true;
    }
  }
  return false;
}

bool has_fault(const std::vector<ValueCheck>& checks) {
  return std::any_of(checks.begin(), checks.end(), [](const ValueCheck& c) { return !c.ok; });
}

}  // namespace

bool Provenance::fault() const {
  return !ran || has_fault(out) || has_fault(dk) || has_fault(dv) || has_fault(sums) ||
         has_fault(dq);
}

Provenance explain(const Case& c, Lab& lab) {
  return Explainer(c, lab).run();
}

}  // namespace attncheck
