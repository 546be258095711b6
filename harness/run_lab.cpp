#include "harness/run_lab.h"

#include <algorithm>

#include "impl/contract/dtypes.h"
#include "properties/inputs.h"
#include "properties/reference_inputs.h"
#include "reference/evaluation.h"

namespace attncheck {
namespace {

bool all_answered(const std::vector<RankReply>& replies) {
  return std::all_of(replies.begin(), replies.end(), [](const RankReply& reply) {
    return reply.outcome == RankReply::Outcome::answered;
  });
}

RankResult result_of(const RankReply& reply, int rank) {
  if (reply.outcome == RankReply::Outcome::answered) return rank_result_from_bytes(reply.bytes);
  RankResult result;
  result.rank = rank;
  result.error = RankError{Phase::process, reply.note};
  if (reply.outcome == RankReply::Outcome::bystander) result.facts["bystander"] = "1";
  return result;
}

Observation observation_of(const std::vector<RankReply>& replies) {
  Observation observation;
  for (size_t rank = 0; rank < replies.size(); ++rank) {
    observation.ranks.push_back(result_of(replies[rank], static_cast<int>(rank)));
  }
  return observation;
}

Expected expect(const Request& request) {
  const InputTensors tensors = global_inputs(request);
  const at::ScalarType io = scalar_type(request.case_.problem.dtype);
  Expected expected;
  expected.inputs = reference_inputs(request, tensors);
  expected.dout = tensors.dout;
  expected.dlse = tensors.dlse;
  const reference::BoundContext context{io, lse_scalar_type(io), request.case_.mesh.ring};
  reference::Evaluation evaluation =
      reference::evaluate(expected.inputs, tensors.dout, tensors.dlse, context);
  expected.forward = std::move(evaluation.forward);
  expected.gradients = std::move(evaluation.gradients);
  expected.bounds = std::move(evaluation.bounds);
  return expected;
}

// What the reference says does not depend on how the run is made, but for the number of merges.
std::string expectation_key(Request request) {
  request.case_.impl = "reference";
  request.case_.backend = request.case_.transport = "any";
  request.case_.grad = {};
  request.case_.return_lse = request.case_.convert_to_fp32 = true;
  request.case_.rotate = Rotate::allgather;
  request.case_.schedule.clear();
  if (request.value != ValueEdit::shard_indicator &&
      request.dout.kind != Cotangent::Kind::one_rank) {
    request.case_.mesh = {request.case_.mesh.ring, 1};
  }
  request.poison.reset();
  request.repeat = 0;
  return to_text(request);
}

}  // namespace

RunLab::RunLab(const Registry& registry,
               std::map<std::string, std::shared_ptr<Transport>> transports)
    : registry_(registry), transports_(std::move(transports)) {}

Observation RunLab::run(const Request& request) {
  const Case& c = request.case_;
  const auto transport = transports_.find(c.transport);
  TORCH_CHECK(transport != transports_.end(), "no transport '", c.transport, "' in this lab");
  const std::string text = to_text(request);
  ++counts_.runs;
  std::vector<RankReply> replies = transport->second->run(c.mesh, text);
  if (all_answered(replies)) return observation_of(replies);
  ++counts_.runs;
  replies = transport->second->run(c.mesh, text);
  Observation observation = observation_of(replies);
  observation.unrepeatable = all_answered(replies);
  return observation;
}

const Observation& RunLab::observe(const Request& request) {
  std::unique_ptr<Observation>& observation = observations_[to_text(request)];
  if (observation) {
    ++counts_.recalls;
  } else {
    observation = std::make_unique<Observation>(run(request));
  }
  return *observation;
}

const Expected& RunLab::expected(const Request& request) {
  std::unique_ptr<Expected>& expected = expectations_[expectation_key(request)];
  if (!expected) expected = std::make_unique<Expected>(expect(request));
  return *expected;
}

Support RunLab::carries(const Case& c) const {
  const auto transport = transports_.find(c.transport);
  if (transport == transports_.end()) return Support::no("no transport '" + c.transport + "'");
  return transport->second->supports(c.mesh);
}

Support RunLab::supports(const Case& c) {
  const Support carried = carries(c);
  return carried ? registry_.supports(c) : carried;
}

const BackendContract* RunLab::contract(const Case& c) {
  const Backend* backend = registry_.backend(c.backend);
  return backend == nullptr ? nullptr : &backend->contract;
}

const Collective* RunLab::collective(const Case& c) {
  return registry_.collective(c.impl);
}

void RunLab::forget() {
  observations_.clear();
  expectations_.clear();
}

}  // namespace attncheck
