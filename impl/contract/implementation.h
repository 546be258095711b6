#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "impl/contract/mesh_groups.h"
#include "impl/contract/method.h"
#include "impl/contract/support.h"
#include "problem/case.h"

namespace attncheck {

struct Backend;

// What an implementation is told beside its shards.
struct AttentionOptions {
  const Backend* backend = nullptr;  // outlives the call and its backward
  double scale = 1.0;
  bool causal = false;
  Align align = Align::top_left;
  int64_t q_len = 0;  // global lengths: the sum over the ranks of their shards, joint tokens aside
  int64_t kv_len = 0;
  // Tokens that every rank holds, before or behind its shard in q, k, v and in what it gets. All
  // ranks are given the same, and get the same out; the loss is the sum over the ranks of what they
  // make of it, and the gradient of a joint token the sum of what they get.
  Joint joint;
  Layout layout = Layout::contiguous;  // which tokens of the sequence a rank holds
  std::vector<int64_t> shards;         // as in Problem: lengths of the ranks' contiguous shards
  // Undefined, bool (true: visible) or additive, of the axes that mask_axes says, all ranks the
  // same: Sq the rank's queries in the order in which it holds them, Skv all keys in the
  // order of the sequence, joint ones included. It gets no gradient.
  at::Tensor mask;
  MaskAxes mask_axes = MaskAxes::bhqk;
  std::optional<int64_t> window;   // as in Problem
  std::vector<int64_t> documents;  // as in Problem
  bool return_lse = true;
  bool convert_to_fp32 = true;  // merge low-precision partials in float32; never narrower than q
  Rotate rotate = Rotate::allgather;
  double dropout = 0.0;
};

struct Attention {
  at::Tensor out;  // (B, Sq_local, H, Dv), q's dtype
  at::Tensor lse;  // (B, Sq_local, H), natural log, wider of q's dtype and float32; undefined
                   // unless asked for
};

// A differentiable context-parallel attention. Every rank of the mesh calls `attention` with its
// shards q (B, Sq_local, H, Dqk), k (B, Skv_local, Hkv, Dqk), v (B, Skv_local, Hkv, Dv), the tokens
// that the layout gives to its world rank, and gets its shard of the result. Autograd
// differentiates it. It throws, on every rank and before it communicates, for what it does not
// support.
struct Implementation {
  std::string name;
  // Whether it does what the case asks on the given backend.
  std::function<Support(const Case&, const Backend&)> supports;
  std::function<Attention(at::Tensor q, at::Tensor k, at::Tensor v, const AttentionOptions&,
                          const MeshGroups&)>
      attention;
  Method method = Method::other;
};

}  // namespace attncheck
