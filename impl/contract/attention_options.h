#pragma once

#include "impl/contract/context_parallel_config.h"
#include "impl/contract/implementation.h"
#include "problem/case.h"

namespace attncheck {

// What an implementation is told of a case, on that backend, which outlives the call. The mask is
// the caller's to add.
inline AttentionOptions attention_options(const Case& c, const Backend& backend) {
  AttentionOptions options;
  options.backend = &backend;
  options.scale = effective_scale(c.problem);
  options.causal = c.problem.causal;
  options.align = c.problem.align;
  options.joint = c.problem.joint;
  options.q_len = c.problem.q_len - c.problem.joint.tokens;
  options.kv_len = c.problem.kv_len - c.problem.joint.tokens;
  options.shards = c.problem.shards;
  options.mask_axes = c.problem.mask_axes;
  options.window = c.problem.window;
  options.documents = c.problem.documents;
  options.return_lse = c.return_lse;
  options.dropout = c.dropout;
  config_of(c).fill(options);
  return options;
}

}  // namespace attncheck
