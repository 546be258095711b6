#pragma once

#include "impl/contract/context_parallel_config.h"
#include "impl/contract/implementation.h"
#include "problem/case.h"

namespace attncheck {

// What an implementation is told of a case, on that backend, which outlives the call. No mask.
inline AttentionOptions attention_options(const Case& c, const Backend& backend) {
  AttentionOptions options;
  options.backend = &backend;
  options.scale = effective_scale(c.problem);
  options.causal = c.problem.causal;
  options.align = c.problem.align;
  options.q_len = c.problem.q_len;
  options.kv_len = c.problem.kv_len;
  options.shards = c.problem.shards;
  options.return_lse = c.return_lse;
  options.dropout = c.dropout;
  config_of(c).fill(options);
  return options;
}

}  // namespace attncheck
