#include "harness/callables/keywords.h"

#include <ATen/core/ivalue.h>
#include <c10/util/Exception.h>

#include "problem/case_text.h"

namespace attncheck {
namespace {

// The first thing that a case asks for and the callable has no keyword for.
class Lacking {
 public:
  explicit Lacking(const CallableDescription& callable) : callable_(callable) {}

  void needs(bool asked, const char* keyword, const char* what) {
    if (asked && !callable_.has(keyword)) no(keyword, what);
  }
  void no(const char* keyword, const std::string& what) {
    if (!support_) return;
    support_ = Support::no("its callable takes no keyword '" + std::string(keyword) + "', so " +
                           what + " is not asked of it");
  }
  void refuse(bool asked, const std::string& why) {
    if (asked && support_) support_ = Support::no(why);
  }
  const Support& support() const { return support_; }

 private:
  const CallableDescription& callable_;
  Support support_;
};

void require_mesh(const CallableDescription& callable, const Mesh& mesh, Lacking& lacking) {
  const bool ring = callable.has("ring_group"), ulysses = callable.has("ulysses_group");
  if (ring || ulysses) {
    lacking.needs(mesh.ring > 1, "ring_group", "a ring degree above 1");
    lacking.needs(mesh.ulysses > 1, "ulysses_group", "a Ulysses degree above 1");
    return;
  }
  lacking.needs(mesh.world() > 1, "group", "a mesh of more than one rank");
}

// With groups of both kinds a rank's tokens are those of one order and one cut, which no keyword
// says.
void require_order(const CallableDescription& callable, const Case& c, Lacking& lacking) {
  if (!callable.has("ring_group") || !callable.has("ulysses_group")) return;
  if (c.mesh.ring == 1 || c.mesh.ulysses == 1) return;
  lacking.refuse(c.mesh.order == MeshOrder::ur,
                 "order=ur is not asked of a callable with ring_group and ulysses_group");
  lacking.refuse(c.problem.layout == Layout::zigzag,
                 "layout=zigzag is asked of a callable with ring_group and ulysses_group where one "
                 "of the two degrees is 1 alone");
}

void require_split(const Case& c, Lacking& lacking) {
  const Problem& p = c.problem;
  const int world = c.mesh.world();
  const int64_t joint = p.joint.tokens;
  const bool uneven = !p.shards.empty() || (p.q_len - joint) % world != 0 ||
                      (p.kv_len - joint) % world != 0 || p.q_len - joint < world ||
                      p.kv_len - joint < world;
  lacking.needs(p.layout == Layout::zigzag, "layout", "layout=zigzag");
  lacking.refuse(p.layout == Layout::striped, "layout=striped is not asked of callables");
  lacking.needs(uneven, "shards", "a split into uneven shards");
  lacking.needs(joint > 0, "joint_tokens", "joint=");
}

void require_visibility(const Problem& p, Lacking& lacking) {
  lacking.needs(p.causal, "is_causal", "causal=1");
  lacking.needs(p.align == Align::bottom_right, "align", "align=br");
  lacking.needs(p.mask != Mask::none, "mask", "a mask");
  lacking.needs(p.mask != Mask::none && p.mask_axes == MaskAxes::bk, "mask_axes",
                "a mask of two axes");
  lacking.needs(p.window.has_value(), "window", "window=");
  lacking.needs(!p.documents.empty(), "documents", "documents=");
}

template <typename Returned>
Returned nothing_to_call(const std::string& name) {
  TORCH_CHECK(false, "'", name, "' can be called in rank processes alone");
}

}  // namespace

Support supports_by_keywords(const CallableDescription& callable, const Case& c) {
  Lacking lacking(callable);
  lacking.refuse(c.transport == "nccl",
                 "callables have CPU tensors: use transport=gloo, or transport=sim where ranks may "
                 "be threads, not transport=nccl");
  require_mesh(callable, c.mesh, lacking);
  require_order(callable, c, lacking);
  require_split(c, lacking);
  require_visibility(c.problem, lacking);
  lacking.needs(c.problem.scale.has_value(), "scale", "scale=");
  lacking.needs(c.return_lse || c.lse_cotangent, "return_lse", "a log-sum-exp");
  lacking.needs(!c.convert_to_fp32, "convert_to_fp32", "fp32=0");
  lacking.needs(c.rotate != Rotate::allgather, "rotate", "rotate=");
  lacking.needs(c.backend != "math", "backend", "backend=");
  lacking.refuse(c.dropout > 0, "dropout is not supported: use dropout=0");
  return lacking.support();
}

Support supports_by_keywords(const CallableDescription& callable, const Problem& p) {
  Lacking lacking(callable);
  lacking.needs(p.mask != Mask::none, "mask", "a mask");
  const bool hides = p.causal && (p.align == Align::bottom_right || p.q_len != p.kv_len ||
                                  p.layout == Layout::striped);
  if (hides && !callable.has("diagonal")) {
    lacking.needs(true, "mask", "causal=1 between other lengths than one, or striped,");
  }
  if (p.causal && !callable.has("diagonal") && !callable.has("mask")) {
    lacking.needs(true, "is_causal", "causal=1");
  }
  return lacking.support();
}

Implementation described_implementation(const CallableDescription& callable) {
  Implementation implementation;
  implementation.name = callable.name;
  implementation.supports = [callable](const Case& c, const Backend&) {
    return supports_by_keywords(callable, c);
  };
  implementation.attention = [name = callable.name](auto&&...) {
    return nothing_to_call<Attention>(name);
  };
  return implementation;
}

Backend described_backend(const CallableDescription& callable) {
  Backend backend;
  backend.name = callable.name;
  backend.contract.masks = callable.has("mask");
  backend.contract.takes_grad_lse = callable.has("grad_lse");
  backend.supports = [callable](const Problem& p) { return supports_by_keywords(callable, p); };
  backend.forward = [name = callable.name](const BackendInputs&) {
    return nothing_to_call<BackendForward>(name);
  };
  backend.backward = [name = callable.name](const BackendBackward&) {
    return nothing_to_call<BackendGrads>(name);
  };
  return backend;
}

}  // namespace attncheck
