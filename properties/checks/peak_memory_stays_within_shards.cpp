#include <algorithm>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "problem/case_text.h"
#include "properties/checks/applies.h"
#include "properties/checks/companions.h"
#include "properties/checks/findings.h"
#include "properties/checks/judging.h"
#include "properties/checks/memory.h"
#include "properties/checks/memory_of_methods.h"

namespace attncheck {
namespace {

bool shows_a_key(const Case& c, Lab& lab) {
  return lab.expected(watched_request(c)).forward.lse.max().item<double>() >
         -std::numeric_limits<double>::infinity();
}

// A mask that is drawn for the block alone may hide all of it, which then never reaches the kernel:
// the next seed whose mask does not.
void show_a_key(Case& c, Lab& lab) {
  constexpr int kSeeds = 32;
  for (int i = 0; c.problem.mask != Mask::none && i < kSeeds && !shows_a_key(c, lab); ++i) {
    ++c.seed;
  }
}

// The kernel alone on one block, forward and backward. Where causal, the diagonal of a block need
// not begin in its corner, and a kernel may take such a one as a mask. One query at the bottom
// right sees every key, two do not.
Request block_request(const Case& c, Method method, View view, bool off_corner, Lab& lab) {
  Case local = local_case(c, lab);
  local.problem = block_of_method(c, method);
  local.problem.view = view;
  if (off_corner) {
    local.problem.align = Align::bottom_right;
    local.problem.q_len = std::max<int64_t>(2, local.problem.q_len);
    if (local.problem.q_len == local.problem.kv_len) ++local.problem.kv_len;
  }
  local.lse_cotangent = c.lse_cotangent && c.return_lse;  // some kernels pay for one
  show_a_key(local, lab);
  return watched_request(local);
}

// The most that it takes: for blocks that are views, or that arrived as they are, by the diagonal.
// Nothing where it could not be measured.
std::optional<int64_t> kernel_bytes(const Case& c, Method method, Lab& lab) {
  std::optional<int64_t> most;
  for (View view : {View::none, c.problem.view}) {
    for (bool off_corner : {false, c.problem.causal}) {
      const Observation& kernel = lab.observe(block_request(c, method, view, off_corner, lab));
      const std::optional<int64_t> peak = kernel.ranks.front().peak_bytes;
      if (ended_early(kernel) || !peak) return std::nullopt;
      most = std::max(most.value_or(0), *peak);
    }
  }
  return most;
}

Verdict within(const Observation& observation, int64_t bound) {
  Evidence closest;
  closest.tensor = "memory";
  closest.bound = static_cast<double>(bound);
  for (const RankResult& rank : observation.ranks) {
    const double peak = static_cast<double>(rank.peak_bytes.value_or(0));
    if (peak < closest.error) continue;
    closest.error = peak;
    closest.rank = rank.rank;
  }
  closest.expected = fmt::format("at most {} bytes", bound);
  closest.got = fmt::format("{:.0f} bytes", closest.error);
  if (closest.error <= closest.bound) return Verdict::pass(std::move(closest));
  closest.message = fmt::format("rank {} holds up to {}, its method takes {}", closest.rank,
                                closest.got, closest.expected);
  return Verdict::fail(std::move(closest));
}

// A thread of real processes' transport can let go of a block later than its exchange ends. It adds
// to a run now and then; a block too many is held in every one.
Verdict held_in_every_run(Verdict verdict, const Case& c, int64_t bound, Lab& lab) {
  constexpr int kRuns = 3;
  if (c.transport == "sim") return verdict;
  for (int run = 1; verdict.failed() && run < kRuns; ++run) {
    Request again = watched_request(c);
    again.repeat = run;
    const Observation& observation = lab.observe(again);
    if (const auto ended = ended_early(observation)) return *ended;
    if (observation.ranks.front().peak_bytes) verdict = within(observation, bound);
  }
  return verdict;
}

Verdict memory_stays(const Case& c, Method method, Lab& lab) {
  const Observation& observation = lab.observe(watched_request(c));
  if (const auto ended = ended_early(observation)) return *ended;
  if (observation.ranks.front().facts.contains("device")) {
    return Verdict::unsupported("the memory of a GPU is not measured");
  }
  const std::optional<int64_t> alone = kernel_bytes(c, method, lab);
  if (!alone || !observation.ranks.front().peak_bytes) {
    return Verdict::not_run("the memory of the run, or of the kernel alone, was not measured");
  }
  const int64_t bound = *alone + bytes_of_method(c, method);
  return held_in_every_run(within(observation, bound), c, bound, lab);
}

// In a ring that passes keys on, a block too many weighs more than all that is allowed beside them
// only where keys outweigh queries: if the case's do not, those of a companion do.
Verdict memory_stays_with_long_keys(const Case& c, Method method, Lab& lab) {
  constexpr int kLargestWorld = 16;  // time grows with its square
  const bool passes_on =
      c.mesh.ring > 2 && c.rotate != Rotate::allgather && c.mesh.world() <= kLargestWorld;
  const std::optional<Case> companion = passes_on ? with_long_keys(c, lab) : std::nullopt;
  if (!companion) return Verdict::pass();
  Verdict verdict = memory_stays(*companion, method, lab);
  if (verdict.kind == Verdict::Kind::pass) return verdict;
  if (!verdict.failed()) return Verdict::pass();
  verdict.evidence->message += ", with more keys: " + to_text(*companion);
  return verdict;
}

Verdict memory_stays_within_shards(const Case& c, Lab& lab) {
  const Method method = lab.method(c);
  if (method == Method::other) {
    return Verdict::unsupported("the implementation does not declare its method");
  }
  Verdict verdict = memory_stays(c, method, lab);
  if (verdict.kind != Verdict::Kind::pass) return verdict;
  return worse(std::move(verdict), memory_stays_with_long_keys(c, method, lab));
}

}  // namespace

Property peak_memory_stays_within_shards() {
  Property property;
  property.name = "peak_memory_stays_within_shards";
  property.explains = "a rank holds no more blocks at a time than its method needs";
  property.applies = [](const Case& c) { return all_of({needs_attention(c), needs_world(c)}); };
  property.check = memory_stays_within_shards;
  return property;
}

}  // namespace attncheck
