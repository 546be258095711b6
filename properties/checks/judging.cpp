#include "properties/checks/judging.h"

#include <utility>

#include <c10/util/Exception.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace attncheck {

Request plain_request(const Case& c) {
  Case plain = c;
  plain.lse_cotangent = false;
  return base_request(plain);
}

Request forward_request(const Case& c, ValueEdit value, ScoreEdit score) {
  Request request = plain_request(c);
  request.backward = false;
  request.value = value;
  request.score = score;
  return request;
}

Case local_case(const Case& c, Lab& lab) {
  Case local = c;
  if (lab.kind(c) != SubjectKind::local) local.impl = "local";
  local.mesh = Mesh{};
  local.problem.layout = Layout::contiguous;
  local.problem.shards.clear();
  local.problem.joint = Joint{};
  local.grad = GradSet{};
  local.rotate = Rotate::allgather;
  local.schedule.clear();
  local.lse_cotangent = false;
  return local;
}

std::vector<std::string> forward_tensors(const Case& c) {
  return c.return_lse ? std::vector<std::string>{"out", "lse"} : std::vector<std::string>{"out"};
}

std::vector<std::string> gradient_tensors(const Case& c) {
  std::vector<std::string> tensors;
  if (c.grad.q) tensors.push_back("dq");
  if (c.grad.k) tensors.push_back("dk");
  if (c.grad.v) tensors.push_back("dv");
  return tensors;
}

std::vector<std::string> all_tensors(const Case& c) {
  std::vector<std::string> tensors = forward_tensors(c);
  for (std::string& gradient : gradient_tensors(c)) tensors.push_back(std::move(gradient));
  return tensors;
}

const at::Tensor& value_of(const Expected& expected, const std::string& tensor) {
  if (tensor == "out") return expected.forward.out;
  if (tensor == "lse") return expected.forward.lse;
  if (tensor == "dq") return expected.gradients.dq;
  if (tensor == "dk") return expected.gradients.dk;
  TORCH_CHECK(tensor == "dv", "the reference has no tensor '", tensor, "'");
  return expected.gradients.dv;
}

const at::Tensor& bound_of(const Expected& expected, const std::string& tensor) {
  if (tensor == "out") return expected.bounds.out;
  if (tensor == "lse") return expected.bounds.lse;
  if (tensor == "dq") return expected.bounds.dq;
  if (tensor == "dk") return expected.bounds.dk;
  TORCH_CHECK(tensor == "dv", "there is no bound of '", tensor, "'");
  return expected.bounds.dv;
}

std::optional<Verdict> ended_early(const Observation& observation) {
  if (observation.unrepeatable) {
    const std::string& what = observation.incident;
    return Verdict::not_run(what.empty() ? "a rank was lost, and on fresh ranks it was not" : what);
  }
  if (const RankResult* failed = first_failed_rank(observation)) {
    return Verdict::not_run(error_text(*failed));
  }
  if (const std::string reason = refusal(observation); !reason.empty()) {
    return Verdict::not_run("the subject refused: " + reason);
  }
  return std::nullopt;
}

std::optional<Verdict> nothing_to_judge(const Observation& observation, const std::string& tensor) {
  if (!observation.unrepeatable && all_ranks_have(observation, tensor)) return std::nullopt;
  return ended_early(observation);
}

Verdict judge_each(const Observation& observation, const std::vector<std::string>& tensors,
                   const std::function<Verdict(const std::string& tensor)>& judge) {
  std::optional<Verdict> worst;
  Verdict reason = Verdict::not_run("there is no tensor to judge");
  for (const std::string& tensor : tensors) {
    if (const auto nothing = nothing_to_judge(observation, tensor)) {
      reason = *nothing;
      continue;
    }
    Verdict verdict = judge(tensor);
    worst = worst ? worse(std::move(*worst), std::move(verdict)) : std::move(verdict);
  }
  return worst ? *worst : reason;
}

Verdict compared_with(const std::string& what, Verdict verdict) {
  if (!verdict.failed() || verdict.evidence->index.empty()) return verdict;
  Evidence& evidence = *verdict.evidence;
  evidence.message =
      fmt::format("{} of rank {} differs from {}: error {:.3g}, bound {:.3g}", evidence.tensor,
                  evidence.rank, what, evidence.error, evidence.bound);
  return verdict;
}

}  // namespace attncheck
