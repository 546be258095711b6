#pragma once

#include "harness/callables/description.h"
#include "impl/contract/backend.h"
#include "impl/contract/implementation.h"

namespace attncheck {

// What a callable that takes these keywords can be asked for: a case that it could not be told of
// is refused with the keyword that it lacks. Of an implementation:
//   group, ring_group, ulysses_group  meshes of more than one rank; `group` alone is all of them.
//                                     With both degrees above 1 and the other two: order=ru, and
//                                     no zigzag, since none says how the two share the tokens
//   is_causal, align                  causal=1; align=br
//   scale                             other scales than 1/sqrt(head_dim)
//   return_lse                        a log-sum-exp, and cotangents of it
//   layout, shards                    layout=zigzag; shards of other lengths than the rest
//   mask, mask_axes                   mask=, over (B or 1, H or 1, Sq or 1, Skv); also (B, Skv)
//   window, documents, joint_tokens   window=, documents=, joint=
//   rotate, convert_to_fp32, backend  rotate=, fp32=0, backend=
Support supports_by_keywords(const CallableDescription& callable, const Case& c);

// Of a backend's forward and backward:
//   is_causal, diagonal, mask         what hides keys, each as far as it goes
//   grad_lse                          a cotangent of the log-sum-exp, given as it is
// A diagonal that only a mask can say is said by one. layout=striped: it may be any.
Support supports_by_keywords(const CallableDescription& callable, const Problem& problem);

// An implementation and a backend of these keywords, without functions to call: what the
// coordinator knows of them. Calling them throws.
Implementation described_implementation(const CallableDescription& callable);
Backend described_backend(const CallableDescription& callable);

}  // namespace attncheck
