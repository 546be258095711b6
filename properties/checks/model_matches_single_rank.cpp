#include <cmath>

#include <ATen/TensorOperators.h>
#include <fmt/format.h>

#include "properties/checks/applies.h"
#include "properties/checks/judging.h"
#include "properties/checks/model_runs.h"
#include "properties/checks/models.h"
#include "properties/compare.h"

namespace attncheck {
namespace {

// The tensor's element that is farthest from what is expected, on one rank.
Evidence farthest(const std::string& name, int rank, const at::Tensor& got, const at::Tensor& want,
                  double bound) {
  const at::Tensor error = (got - want).abs().flatten();
  const int64_t place = error.argmax().item<int64_t>();
  Evidence evidence;
  evidence.tensor = name;
  evidence.rank = rank;
  evidence.bound = bound;
  evidence.error = error[place].item<double>();
  evidence.got = fmt::format("{:.17g}", got.flatten()[place].item<double>());
  evidence.expected = fmt::format("{:.17g}", want.flatten()[place].item<double>());
  evidence.index = index_of(place, got.sizes());
  return evidence;
}

// What share of the expected tensor came, by least squares; how ranks would make such a share.
std::string ratio_text(const at::Tensor& got, const at::Tensor& want, int world) {
  const double norm = want.square().sum().item<double>();
  if (norm == 0) return "nothing is expected";
  const double ratio = (got * want).sum().item<double>() / norm;
  const std::string text = fmt::format("got / expected is {:.6g}", ratio);
  const double rest = (got - ratio * want).square().sum().item<double>();
  if (rest > 1e-6 * norm || std::abs(ratio - 1) < 1e-3) return text;
  if (std::abs(ratio * world - 1) < 1e-3) return text + ", low by the number of ranks";
  if (std::abs(ratio / world - 1) < 1e-3) return text + ", the number of ranks";
  return text + " throughout";
}

Verdict compared(const std::string& name, int rank, const at::Tensor& given,
                 const SingleRank& single, int world) {
  const at::Tensor& want = single.exact.at(name);
  if (given.sizes() != want.sizes()) {
    return wrong_form(name, rank, index_text(want.sizes()), index_text(given.sizes()));
  }
  if (want.numel() == 0) return Verdict::pass();
  const at::Tensor got = given.to(at::kDouble);
  Evidence evidence = farthest(name, rank, got, want, single.bounds.at(name));
  if (!want.isfinite().all().item<bool>()) {
    return Verdict::not_run(name + " is not finite on one rank");
  }
  if (evidence.error <= evidence.bound) return Verdict::pass(std::move(evidence));
  evidence.message =
      fmt::format("{} of rank {} differs from the single-rank run: error {:.3g}, bound {:.3g}; {}",
                  name, rank, evidence.error, evidence.bound, ratio_text(got, want, world));
  return Verdict::fail(std::move(evidence));
}

// The ranks' parts of the loss are summed here; everything else is whole on every rank.
std::vector<std::pair<int, at::Tensor>> given_by(const Observation& observation,
                                                 const std::string& name) {
  std::vector<std::pair<int, at::Tensor>> given;
  for (const RankResult& rank : observation.ranks) {
    const auto found = rank.tensors.find(name);
    given.emplace_back(rank.rank, found == rank.tensors.end() ? at::Tensor() : found->second);
  }
  if (name != "loss") return given;
  at::Tensor sum;
  for (const auto& [rank, part] : given) {
    if (!part.defined()) return {{rank, part}};
    sum = sum.defined() ? sum + part.to(at::kDouble) : part.to(at::kDouble);
  }
  return {{0, sum}};
}

Verdict judged(const std::string& name, const Observation& observation, const SingleRank& single) {
  const int world = static_cast<int>(observation.ranks.size());
  Verdict worst = Verdict::pass();
  for (const auto& [rank, given] : given_by(observation, name)) {
    if (!given.defined()) {
      return wrong_form(name, rank, index_text(single.exact.at(name).sizes()), "missing");
    }
    worst = worse(std::move(worst), compared(name, rank, given, single, world));
  }
  return worst;
}

// The failure that is farthest beyond its bound, and of how many tensors there is one.
Verdict worst_of(const std::vector<Verdict>& verdicts) {
  Verdict worst = Verdict::pass();
  int64_t failed = 0;
  for (const Verdict& verdict : verdicts) {
    failed += verdict.failed() ? 1 : 0;
    const bool farther =
        worst.failed() && verdict.failed() && verdict.share_of_bound() > worst.share_of_bound();
    worst = farther ? verdict : worse(worst, verdict);
  }
  if (failed > 1) {
    worst.evidence->message += fmt::format("; {} of {} tensors differ", failed, verdicts.size());
  }
  return worst;
}

Verdict matches_single_rank(const Case& c, Lab& lab) {
  const Observation& observation = lab.observe(base_request(c));
  if (const auto ended = ended_early(observation)) return *ended;
  const SingleRank single = single_rank(c, lab);
  if (single.missing) return Verdict::not_run("on one rank: " + single.missing->reason);
  std::vector<Verdict> verdicts;
  for (const auto& [name, tensor] : single.exact) {
    verdicts.push_back(judged(name, observation, single));
  }
  return verdicts.empty() ? Verdict::not_run("the model gave nothing") : worst_of(verdicts);
}

}  // namespace

Property model_matches_single_rank() {
  Property property;
  property.name = "model_matches_single_rank";
  property.explains =
      "output, loss and every parameter's gradient are those of the model on one rank";
  property.subjects = {SubjectKind::model};
  property.applies = needs_world;
  property.check = matches_single_rank;
  return property;
}

}  // namespace attncheck
