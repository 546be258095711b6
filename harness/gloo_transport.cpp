#include "harness/gloo_transport.h"

#include "gloo_cpu/group_factory.h"
#include "gloo_cpu/rank_place.h"
#include "gloo_cpu/rank_set.h"
#include "gloo_cpu/serve_rank.h"
#include "harness/evaluate_rank.h"
#include "harness/make_groups.h"

namespace attncheck {
namespace {

constexpr int kLargestWorld = 64;

using Outcome = RankReply::Outcome;

Outcome outcome_of(gloo_cpu::RankReply::Outcome outcome) {
  switch (outcome) {
    case gloo_cpu::RankReply::Outcome::answered:
      return Outcome::answered;
    case gloo_cpu::RankReply::Outcome::exited:
      return Outcome::exited;
    case gloo_cpu::RankReply::Outcome::signalled:
      return Outcome::signalled;
    case gloo_cpu::RankReply::Outcome::silent:
      return Outcome::silent;
    case gloo_cpu::RankReply::Outcome::cut_short:
      return Outcome::bystander;
  }
  return Outcome::silent;
}

RankReply translated(gloo_cpu::RankReply reply, int rank) {
  RankReply translated;
  translated.outcome = outcome_of(reply.outcome);
  translated.code = reply.code;
  if (translated.outcome == Outcome::answered) {
    translated.bytes = std::move(reply.bytes);
    return translated;
  }
  translated.note = gloo_cpu::describe(reply, rank);
  if (!reply.log_tail.empty()) translated.note += "; it printed: " + reply.log_tail;
  return translated;
}

// A throw in the middle of an exchange leaves messages behind that the next request would receive.
// A refusal comes before any exchange, on every rank: that is what its property checks.
bool may_leave_messages(const Request& request, const RankResult& result) {
  return request.forced ? !result.error : result.error.has_value();
}

// Ranks that do not start may have been unlucky once; twice is an error for the caller.
std::unique_ptr<gloo_cpu::RankSet> started_set(const gloo_cpu::RankSetOptions& options) {
  try {
    return std::make_unique<gloo_cpu::RankSet>(options);
  } catch (const std::exception&) {
    return std::make_unique<gloo_cpu::RankSet>(options);
  }
}

}  // namespace

GlooTransport::GlooTransport(GlooOptions options) : options_(std::move(options)) {}
GlooTransport::~GlooTransport() = default;

Support GlooTransport::supports(const Mesh& mesh) const {
  if (mesh.world() <= kLargestWorld) return Support::yes();
  return Support::no("mesh " + to_text(mesh) + " has " + std::to_string(mesh.world()) +
                     " ranks, gloo has at most " + std::to_string(kLargestWorld));
}

gloo_cpu::RankSet& GlooTransport::set_of(int size) {
  std::unique_ptr<gloo_cpu::RankSet>& set = sets_[size];
  if (!set || !set->usable()) {
    set.reset();
    gloo_cpu::RankSetOptions options;
    options.command.argv = options_.rank_command;
    options.world = size;
    options.timeout = options_.timeout;
    set = started_set(options);
  }
  return *set;
}

std::vector<RankReply> GlooTransport::run(const Mesh& mesh, const std::string& request) {
  std::vector<RankReply> replies;
  int rank = 0;
  for (gloo_cpu::RankReply& reply : set_of(mesh.world()).run(request)) {
    replies.push_back(translated(std::move(reply), rank++));
  }
  return replies;
}

int serve_gloo_rank(const Registry& registry) {
  return gloo_cpu::serve_rank([&](const std::string& text, gloo_cpu::GroupFactory& factory) {
    const Request request = parse_request(text);
    const MeshGroups groups = make_groups(request.case_.mesh, factory);
    const RankResult result = evaluate_rank(registry, request, groups);
    if (may_leave_messages(request, result)) factory.distrust();
    return to_bytes(result);
  });
}

bool is_gloo_rank() {
  return gloo_cpu::is_rank_process();
}

}  // namespace attncheck
