#include "impl/support/limits.h"

#include <string>

#include "impl/backends/built_in.h"
#include "impl/contract/backend.h"
#include "impl/contract/dtypes.h"
#include "impl/layouts/contiguous.h"
#include "impl/layouts/head_slots.h"

namespace attncheck {
namespace {

// All that a refusal may depend on, from a case or from a call.
struct Request {
  Problem problem;  // of the whole sequence and all heads
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
  if (r.mesh.order != MeshOrder::ru) return Support::no("order=ur is not supported: use order=ru");
  if (limits.ring && r.rotate == Rotate::alltoall) {
    return Support::no("rotate=alltoall is not supported: use rotate=allgather or rotate=p2p");
  }
  return Support::yes();
}

Support supports_layout(const Request& r) {
  const Problem& p = r.problem;
  if (p.layout != Layout::contiguous) return Support::no("only layout=contiguous is supported");
  if (!p.shards.empty()) return Support::no("shards= is not supported: shards are equal");
  if (p.mask != Mask::none) return Support::no("masks are not supported: use mask=none");
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
  if (p.kv_heads < 1 || p.heads % p.kv_heads != 0) {
    return Support::no("h=" + number(p.heads) + " is no multiple of hkv=" + number(p.kv_heads));
  }
  const char* world = "the ranks of the mesh";
  const char* degree = "the Ulysses degree";
  if (auto s = divisible("q", p.q_len, world, r.mesh.world()); !s) return s;
  if (auto s = divisible("kv", p.kv_len, world, r.mesh.world()); !s) return s;
  if (limits.any_heads) return Support::yes();
  if (auto s = divisible("h", p.heads, degree, r.mesh.ulysses); !s) return s;
  return divisible("hkv", p.kv_heads, degree, r.mesh.ulysses);
}

// What one call of the kernel is given: a share of the heads, one ring rank's queries and keys.
Problem block_problem(const Request& r) {
  Problem block = r.problem;
  block.q_len /= r.mesh.ring;
  block.kv_len /= r.mesh.ring;
  const HeadSlots slots(block.heads, block.kv_heads, r.mesh.ulysses);
  block.heads = slots.query_slots() / r.mesh.ulysses;
  block.kv_heads = slots.kv_slots() / r.mesh.ulysses;
  block.scale = effective_scale(r.problem);
  return block;
}

// math supports every block: there is always a backend to name.
Support needs_lse(const std::string& backend, const char* who, const Problem& block) {
  return Support::no(backend + " returns no log-sum-exp, which " + who + " needs: use " +
                     backends_with_lse(block));
}

Support supports_backend(const Limits& limits, const Request& r, const Backend& backend) {
  const Problem block = block_problem(r);
  if (limits.ring && !backend.contract.lse) return needs_lse(backend.name, "a ring", block);
  if (r.return_lse && !backend.contract.lse) return needs_lse(backend.name, "return_lse=1", block);
  return backend.supports(block);
}

Support supports(const Limits& limits, const Request& r, const Backend& backend) {
  if (auto s = supports_mesh(limits, r); !s) return s;
  if (auto s = supports_layout(r); !s) return s;
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
  }
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
                  const Mesh& mesh) {
  const int64_t q_len = contiguous_shard(options.q_len, mesh.world(), 0).length;
  const int64_t kv_len = contiguous_shard(options.kv_len, mesh.world(), 0).length;
  TORCH_CHECK(q.size(1) == q_len, "the shard of q has ", q.size(1), " tokens, expected ", q_len,
              " of ", options.q_len);
  TORCH_CHECK(k.size(1) == kv_len, "the shard of k has ", k.size(1), " tokens, expected ", kv_len,
              " of ", options.kv_len);
}

}  // namespace

Support supports_case(const Limits& limits, const Case& c, const Backend& backend) {
  return supports(limits, {c.problem, c.mesh, c.rotate, c.dropout, c.return_lse}, backend);
}

void check_call(const Limits& limits, const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                const AttentionOptions& options, const MeshGroups& groups) {
  TORCH_CHECK(options.backend != nullptr, "the options name no backend");
  check_shapes(q, k, v);
  const Request request = request_of(q, k, v, options, groups.mesh);
  const Support support = supports(limits, request, *options.backend);
  TORCH_CHECK(support.ok, "not supported: ", support.reason);
  check_shards(q, k, options, groups.mesh);
}

}  // namespace attncheck
