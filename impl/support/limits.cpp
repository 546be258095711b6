#include "impl/support/limits.h"

#include <algorithm>
#include <string>
#include <vector>

#include "impl/backends/built_in.h"
#include "impl/contract/backend.h"
#include "impl/contract/dtypes.h"
#include "impl/layouts/head_slots.h"
#include "impl/layouts/strands.h"
#include "problem/case_text.h"
#include "problem/problem_faults.h"

namespace attncheck {
namespace {

// All that a refusal may depend on, from a case or from a call.
struct Request {
  Problem problem;  // of the whole sequence, joint tokens aside, and all heads
  Mesh mesh;
  Rotate rotate = Rotate::allgather;
  double dropout = 0.0;
  bool return_lse = true;
};

std::string number(int64_t n) {
  return std::to_string(n);
}

Support supports_mesh(const Limits& limits, const Request& r) {
  if (r.mesh.ring > 1 && !limits.ring) {
    return Support::no("needs a mesh 1xU: the ring degree is " + number(r.mesh.ring));
  }
  if (r.mesh.ulysses > 1 && !limits.ulysses) {
    return Support::no("needs a mesh Rx1: the Ulysses degree is " + number(r.mesh.ulysses));
  }
  return Support::yes();
}

Support none_of(const std::vector<std::string>& faults) {
  return faults.empty() ? Support::yes() : Support::no(faults.front());
}

Support supports_split(const Limits& limits, const Request& r) {
  const int world = r.mesh.world();
  if (limits.every_split) return none_of(shard_faults(r.problem, world));
  if (r.problem.layout == Layout::contiguous && r.problem.shards.empty() &&
      r.mesh.order == MeshOrder::ru && r.rotate != Rotate::alltoall &&
      r.problem.mask == Mask::none && !r.problem.window && r.problem.documents.empty() &&
      r.problem.joint.tokens == 0 && r.problem.q_len % world == 0 &&
      r.problem.kv_len % world == 0) {
    return Support::yes();
  }
  return Support::no(
      "needs equal shards, layout=contiguous, order=ru, rotate=allgather or p2p, and no mask, "
      "window, documents or joint tokens");
}

Support supports_rotation(const Limits& limits, const Request& r) {
  if (!limits.gathers_keys || r.rotate == Rotate::allgather) return Support::yes();
  return Support::no("rotate=" + std::string(to_text(r.rotate)) +
                     " is a ring's way to move keys, which are gathered at once here: use "
                     "rotate=allgather, or impl=ring");
}

Support supports_call(const Request& r) {
  const Problem& p = r.problem;
  if (auto s = none_of(joint_faults(p)); !s) return s;
  if (auto s = none_of(place_faults(p)); !s) return s;
  if (r.dropout != 0.0) return Support::no("dropout is not supported: use dropout=0");
  return Support::yes();
}

Support divisible(const char* what, int64_t size, const char* by, int ranks) {
  if (size >= ranks && size % ranks == 0) return Support::yes();
  return Support::no(std::string(what) + "=" + number(size) + " is not divisible by " + by + ", " +
                     number(ranks));
}

Support supports_sizes(const Limits& limits, const Request& r) {
  const Problem& p = r.problem;
  const char* degree = "the Ulysses degree";
  if (const Support s = none_of(size_faults(p)); !s || limits.any_heads) return s;
  if (auto s = divisible("h", p.heads, degree, r.mesh.ulysses); !s) return s;
  return divisible("hkv", p.kv_heads, degree, r.mesh.ulysses);
}

// The most tokens that a ring rank has.
int64_t longest(const Request& r, int64_t len) {
  const TokenSplit split{r.problem.layout, r.mesh.world(), r.problem.shards};
  int64_t most = 0;
  for (int index = 0; index < r.mesh.ring; ++index) {
    most = std::max(most, token_count(group_tokens(split, len, r.mesh, index)));
  }
  return most;
}

// Whether gathered keys are attended to stripe by stripe.
bool meets_by_stripes(const Request& r) {
  const bool striped = r.problem.layout == Layout::striped && r.mesh.ring > 1;
  return striped && !sees_every_place(r.problem);
}

// The most that one call of the kernel is given: a share of the heads, the queries and keys of the
// ring ranks that have most. Where causal, a call may be given a part of these.
// Its layout is striped where a shard's queries and keys need not start together and be as many.
Problem block_problem(const Limits& limits, const Request& r) {
  Problem block = r.problem;
  const int64_t joint = r.problem.joint.tokens;
  block.q_len = longest(r, r.problem.q_len) + joint;
  const bool shard_by_shard = !limits.gathers_keys || meets_by_stripes(r);
  block.kv_len = (shard_by_shard ? longest(r, r.problem.kv_len) : r.problem.kv_len) + joint;
  block.joint = Joint{};
  const bool apart = r.problem.layout == Layout::striped || r.problem.q_len != r.problem.kv_len;
  block.layout = apart && r.mesh.ring > 1 ? Layout::striped : Layout::contiguous;
  block.shards.clear();
  const HeadSlots slots(block.heads, block.kv_heads, r.mesh.ulysses);
  block.heads = slots.query_slots() / r.mesh.ulysses;
  block.kv_heads = slots.kv_slots() / r.mesh.ulysses;
  block.scale = effective_scale(r.problem);
  const bool window_or_documents = block.window || !block.documents.empty();
  if (block.mask == Mask::none && window_or_documents) block.mask = Mask::boolean;
  block.window.reset();
  block.documents.clear();
  return block;
}

// math supports every block: there is always a backend to name.
Support needs_lse(const std::string& backend, const char* who, const Problem& block) {
  return Support::no(backend + " returns no log-sum-exp, which " + who + " needs: use " +
                     backends_with_lse(block));
}

// What of the request, if anything, a backend must return a log-sum-exp for.
const char* what_needs_lse(const Limits& limits, const Request& r) {
  if (limits.ring && !limits.gathers_keys) return "a ring";
  if (limits.gathers_keys && meets_by_stripes(r))
    return "layout=striped with causal=1, window= or documents=";
  return r.return_lse ? "return_lse=1" : nullptr;
}

Support supports_backend(const Limits& limits, const Request& r, const Backend& backend) {
  const Problem block = block_problem(limits, r);
  const char* who = what_needs_lse(limits, r);
  if (who != nullptr && !backend.contract.lse) return needs_lse(backend.name, who, block);
  if (block.mask != Mask::none && !backend.contract.masks) {
    return Support::no(backend.name + " takes no mask, which mask=, window= and documents= need");
  }
  return backend.supports(block);
}

Support supports(const Limits& limits, const Request& r, const Backend& backend) {
  if (auto s = supports_mesh(limits, r); !s) return s;
  if (auto s = supports_split(limits, r); !s) return s;
  if (auto s = supports_rotation(limits, r); !s) return s;
  if (auto s = supports_call(r); !s) return s;
  if (auto s = supports_sizes(limits, r); !s) return s;
  return supports_backend(limits, r, backend);
}

DType dtype_of(at::ScalarType type) {
  for (DType dtype : {DType::f64, DType::f32, DType::bf16, DType::f16}) {
    if (scalar_type(dtype) == type) return dtype;
  }
  TORCH_CHECK(false, "q, k and v are ", type, ": expected float64, float32, bfloat16 or float16");
}

Request request_of(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                   const AttentionOptions& options, const Mesh& mesh) {
  Problem p;
  p.batch = q.size(0);
  p.q_len = options.q_len;
  p.kv_len = options.kv_len;
  p.heads = q.size(2);
  p.kv_heads = k.size(2);
  p.head_dim = q.size(3);
  p.v_head_dim = v.size(3);
  p.dtype = dtype_of(q.scalar_type());
  p.causal = options.causal;
  p.align = options.align;
  p.scale = options.scale;
  p.layout = options.layout;
  p.shards = options.shards;
  if (options.mask.defined()) {
    p.mask = options.mask.scalar_type() == at::kBool ? Mask::boolean : Mask::additive;
    p.mask_axes = options.mask_axes;
  }
  p.window = options.window;
  p.documents = options.documents;
  p.joint = options.joint;
  return {p, mesh, options.rotate, options.dropout, options.return_lse};
}

void check_shapes(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
  TORCH_CHECK(q.dim() == 4 && k.dim() == 4 && v.dim() == 4,
              "q, k and v are (B, S, H, D), but have shapes ", q.sizes(), ", ", k.sizes(), ", ",
              v.sizes());
  TORCH_CHECK(q.scalar_type() == k.scalar_type() && q.scalar_type() == v.scalar_type(),
              "q, k and v have different dtypes: ", q.scalar_type(), ", ", k.scalar_type(), ", ",
              v.scalar_type());
  TORCH_CHECK(q.size(0) == k.size(0) && q.size(0) == v.size(0) && q.size(3) == k.size(3) &&
                  k.size(1) == v.size(1) && k.size(2) == v.size(2),
              "q, k and v do not fit together: ", q.sizes(), ", ", k.sizes(), ", ", v.sizes());
}

void check_shards(const at::Tensor& q, const at::Tensor& k, const AttentionOptions& options,
                  const MeshGroups& groups) {
  const TokenSplit split = token_split(options, groups.mesh);
  const int64_t q_len = token_count(held_tokens(split, options.q_len, groups.rank));
  const int64_t kv_len = token_count(held_tokens(split, options.kv_len, groups.rank));
  const int64_t joint = options.joint.tokens;
  TORCH_CHECK(q.size(1) >= joint && k.size(1) >= joint, "q has ", q.size(1), " and k ", k.size(1),
              " tokens, expected ", joint, " joint ones and a shard");
  TORCH_CHECK(q.size(1) - joint == q_len, "the shard of q has ", q.size(1) - joint,
              " tokens, expected ", q_len, " of ", options.q_len);
  TORCH_CHECK(k.size(1) - joint == kv_len, "the shard of k has ", k.size(1) - joint,
              " tokens, expected ", kv_len, " of ", options.kv_len);
}

}  // namespace

Support supports_case(const Limits& limits, const Case& c, const Backend& backend) {
  Request request{c.problem, c.mesh, c.rotate, c.dropout, c.return_lse};
  request.problem.q_len -= c.problem.joint.tokens;
  request.problem.kv_len -= c.problem.joint.tokens;
  return supports(limits, request, backend);
}

void check_call(const Limits& limits, const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                const AttentionOptions& options, const MeshGroups& groups) {
  TORCH_CHECK(options.backend != nullptr, "the options name no backend");
  check_shapes(q, k, v);
  const Request request = request_of(q, k, v, options, groups.mesh);
  const Support support = supports(limits, request, *options.backend);
  TORCH_CHECK(support.ok, "not supported: ", support.reason);
  check_shards(q, k, options, groups);
}

}  // namespace attncheck
