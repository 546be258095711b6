#include <cmath>

#include <fmt/format.h>

#include "properties/checks/applies.h"
#include "properties/checks/exchange.h"
#include "properties/checks/judging.h"
#include "properties/compare.h"
#include "properties/token_positions.h"

namespace attncheck {
namespace {

// A query row of one head, and a key shard: where its mass lies in out, global and on the rank.
struct Mass {
  int rank = 0, shard = 0;
  int64_t query = 0;           // global position
  std::vector<int64_t> index;  // in the rank's tensor
  int64_t place = 0;           // in the assembled tensor
};

Evidence unreached(const Mass& mass, double got, double expected, double bound) {
  Evidence evidence;
  evidence.tensor = "out";
  evidence.error = std::abs(expected - got);
  evidence.bound = bound;
  evidence.rank = mass.rank;
  evidence.shard = mass.shard;
  evidence.index = mass.index;
  evidence.expected = fmt::format("{:.9g}", expected);
  evidence.got = fmt::format("{:.9g}", got);
  evidence.message = fmt::format(
      "query {} of rank {} does not reach the keys of rank {}: its mass there is {}, "
      "expected {}",
      mass.query, mass.rank, mass.shard, evidence.got, evidence.expected);
  return evidence;
}

// Calls `judge` for every batch, head, query of a rank and key shard of another rank.
template <typename Judge>
void for_each_remote_mass(const Case& c, const Judge& judge) {
  const Problem& p = c.problem;
  for (int rank = 0; rank < c.mesh.world(); ++rank) {
    const std::vector<int64_t> held = q_positions(c, rank);
    for (int shard = 0; shard < c.mesh.world(); ++shard) {
      if (shard == rank) continue;
      const int64_t group = shard / p.v_head_dim, component = shard % p.v_head_dim;
      for (int64_t b = group * p.batch; b < (group + 1) * p.batch; ++b)
        for (int64_t s = 0; s < static_cast<int64_t>(held.size()); ++s)
          for (int64_t h = 0; h < p.heads; ++h) {
            const int64_t row = (b * p.q_len + held[s]) * p.heads + h;
            judge(Mass{rank, shard, held[s], {b, s, h, component}, row * p.v_head_dim + component});
          }
    }
  }
}

Verdict masses_are_there(const Case& c, const at::Tensor& out, const Expected& expected) {
  const double* got = out.const_data_ptr<double>();
  const double* want = expected.forward.out.const_data_ptr<double>();
  const double* bound = expected.bounds.out.const_data_ptr<double>();
  int64_t judged = 0;
  std::optional<Evidence> worst;
  for_each_remote_mass(c, [&](const Mass& mass) {
    const double truth = want[mass.place];
    if (!(truth > bound[mass.place])) return;
    ++judged;
    const bool reached = got[mass.place] > 0;
    if (reached || (worst && worst->error >= truth)) return;
    worst = unreached(mass, got[mass.place], truth, bound[mass.place]);
  });
  if (worst) return Verdict::fail(std::move(*worst));
  if (judged == 0) return Verdict::unsupported("no remote key has a weight above the bound");
  return Verdict::pass();
}

Verdict remote_keys_reached(const Case& c, Lab& lab) {
  const Request request = forward_request(c, ValueEdit::shard_indicator);
  const Observation& observation = lab.observe(request);
  if (const auto nothing = nothing_to_judge(observation, "out")) return *nothing;
  const at::Tensor out = assemble(request, observation, "out");
  const Expected& expected = lab.expected(request);
  if (!out.defined() || out.sizes() != expected.forward.out.sizes()) {
    return Verdict::not_run("out is not there in the right shape on every rank");
  }
  return masses_are_there(c, out, expected);
}

}  // namespace

Property remote_keys_are_reached() {
  Property property;
  property.name = "remote_keys_are_reached";
  property.explains = "every query gives weight to the keys of every other rank that it sees";
  property.applies = [](const Case& c) {
    return all_of({needs_attention(c), needs_world(c), needs_remote_keys(c)});
  };
  property.check = remote_keys_reached;
  return property;
}

}  // namespace attncheck
