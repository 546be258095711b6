#include "mutants/layouts.h"

#include <functional>
#include <utility>

#include "impl/layouts/strands.h"
#include "impl/ring/ring_attention.h"
#include "mutants/entry.h"
#include "mutants/parents.h"

namespace attncheck {
namespace {

// The two runs of a zigzag shard as if they were as long as each other.
Strands equal_halves(const TokenSplit& split, int64_t len, int rank) {
  const Strands runs = held_tokens(split, len, rank);
  const int64_t tokens = token_count(runs), half = tokens / 2;
  Strands halves;
  if (half > 0) halves.push_back({runs[0].offset, 1, half});
  if (tokens > half) halves.push_back({runs[1].offset, 1, tokens - half});
  return halves;
}

void takes_equal_halves(RingCall& call, const AttentionOptions& options, const Mesh& mesh) {
  if (options.layout != Layout::zigzag || !options.causal || call.ring_degree == 1) return;
  if (options.mask.defined() || options.window || !options.documents.empty()) return;
  const TokenSplit split = token_split(options, mesh);
  const Strands queries = equal_halves(split, options.q_len, call.ring_index);
  call.parts = spans_of(queries);
  for (int owner = 0; owner < call.ring_degree; ++owner) {
    call.blocks[owner] = visible_blocks(queries, equal_halves(split, options.kv_len, owner),
                                        global_diagonal(options));
  }
}

// The results of half the queries are merged with those of all: sizes do not fit, unless half of
// them is all.
void balances_what_is_not_causal(RingCall& call, const AttentionOptions& options, const Mesh&) {
  if (options.layout != Layout::zigzag || options.causal) return;
  for (int owner = call.ring_index + 1; owner < call.ring_degree; ++owner) {
    for (Block& block : call.blocks[owner]) {
      const int64_t half = block.queries.length / 2;
      block.queries = {half, block.queries.length - half};
    }
  }
}

void counts_shards_by_the_longest(RingCall& call, const AttentionOptions& options, const Mesh&) {
  if (options.layout != Layout::contiguous || !options.shards.empty()) return;
  const int64_t longest = (options.kv_len + call.ring_degree - 1) / call.ring_degree;
  const int64_t shards = (options.kv_len + longest - 1) / longest;
  for (int64_t owner = shards; owner < call.ring_degree; ++owner) call.blocks[owner].clear();
}

using Change = std::function<void(RingCall&, const AttentionOptions&, const Mesh&)>;

Implementation ring_with(const std::string& name, Change change) {
  Parent parent = ring_parent();
  parent.pass = [change = std::move(change)](const AttentionOptions& options,
                                             const MeshGroups& groups) {
    RingCall call = ring_call(options, groups);
    change(call, options, groups.mesh);
    return ring_pass(call);
  };
  return implementation_of(name, parent);
}

}  // namespace

std::vector<Mutant> layout_mutants() {
  return {
      make_mutant({.name = "D4",
                   .source = "rfa #51, EasyContext #47",
                   .fault = "the halves of a zigzag shard are taken to be of equal length",
                   .property = "every_query_key_pair_counts_once",
                   .smallest = "mesh=2x1 q=2 d=1 causal=1 layout=zigzag"},
                  ring_with("takes_equal_halves", takes_equal_halves)),
      make_mutant({.name = "D5",
                   .source = "pytorch #141429",
                   .fault = "zigzag takes half the queries for later keys, also where not causal",
                   .property = "supported_case_runs_to_the_end",
                   .smallest = "mesh=2x1 q=5 d=1 layout=zigzag"},
                  ring_with("balances_what_is_not_causal", balances_what_is_not_causal)),
      make_mutant(
          {.name = "D6",
           .source = "xDiT #471",
           .fault = "`chunk` gives fewer shards than ranks: the last ones are never visited",
           .property = "every_query_key_pair_counts_once",
           .smallest = "mesh=3x1 q=4 d=1"},
          ring_with("counts_shards_by_the_longest", counts_shards_by_the_longest)),
  };
}

}  // namespace attncheck
