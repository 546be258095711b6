#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "harness/callables/keywords.h"
#include "problem/case_text.h"
#include "python/core/calls.h"
#include "python/core/raised.h"

namespace attncheck::python {
namespace {

py::object tensor_or_none(const at::Tensor& tensor) {
  return tensor.defined() ? py::cast(tensor) : py::none();
}

const char* axes_of(MaskAxes axes) {
  switch (axes) {
    case MaskAxes::bhqk:
      return "bhqk";
    case MaskAxes::b1qk:
      return "b1qk";
    case MaskAxes::b11k:
      return "b11k";
    case MaskAxes::bk:
      break;
  }
  return "bk";
}

void add_places(const AttentionOptions& options, py::dict& said) {
  said["is_causal"] = options.causal;
  said["align"] = to_text(options.align);
  said["mask"] = tensor_or_none(options.mask);
  said["mask_axes"] = axes_of(options.mask_axes);
  said["window"] = options.window;
  said["documents"] = options.documents;
  said["joint_tokens"] = options.joint.tokens;
  said["joint_place"] = options.joint.place == JointPlace::rear ? "rear" : "front";
}

py::dict said_to(const AttentionOptions& options, const MeshGroups& groups) {
  py::dict said;
  said["group"] = groups.world;
  said["ring_group"] = groups.ring;
  said["ulysses_group"] = groups.ulysses;
  said["scale"] = options.scale;
  said["return_lse"] = options.return_lse;
  said["layout"] = to_text(options.layout);
  said["shards"] = options.shards;
  said["q_len"] = options.q_len;
  said["kv_len"] = options.kv_len;
  said["rotate"] = to_text(options.rotate);
  said["convert_to_fp32"] = options.convert_to_fp32;
  said["backend"] = options.backend->name;
  add_places(options, said);
  return said;
}

}  // namespace

Implementation python_implementation(const CallableDescription& callable, const py::object& call) {
  Implementation implementation = described_implementation(callable);
  implementation.attention = [&call](const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                                     const AttentionOptions& options, const MeshGroups& groups) {
    return in_python([&] {
      const py::tuple given = call(q, k, v, said_to(options, groups));
      const py::object lse = given[1];
      return Attention{given[0].cast<at::Tensor>(),
                       lse.is_none() ? at::Tensor() : lse.cast<at::Tensor>()};
    });
  };
  return implementation;
}

}  // namespace attncheck::python
