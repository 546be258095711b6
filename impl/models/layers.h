#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "impl/sharding/hooked_module.h"

namespace attncheck {

// The width of every model: what a token, a text token and the conditioning have outside of
// attention.
inline constexpr int64_t kWidth = 8;
inline constexpr int64_t kInnerWidth = 16;  // within a feed-forward part

// Attention of this rank's shards, (B, S_local, H, D) to (B, S_local, H, D).
using AttentionCall =
    std::function<at::Tensor(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v)>;

// The sizes of a model's attention, and the dtype of its parameters.
struct HeadSizes {
  int64_t heads = 1, kv_heads = 1, head_dim = 1;
  at::ScalarType dtype = at::kDouble;
};

// x (B, S, in) to (B, S, out). Parameter "weight" (out, in).
class Linear : public HookedModule {
 public:
  Linear(int64_t in, int64_t out, at::ScalarType dtype);
  at::Tensor operator()(const at::Tensor& x) { return HookedModule::operator()({x}).front(); }

 private:
  Tensors run(const Tensors& inputs) override;
  at::Tensor weight_;
};

// Divides each token by its root mean square and weighs the channels. Parameter "weight".
class Norm : public torch::nn::Module {
 public:
  explicit Norm(at::ScalarType dtype);
  at::Tensor operator()(const at::Tensor& x) const;

 private:
  at::Tensor weight_;
};

// Two linear maps around a silu; with `gated` the silu of a third one weighs the channels.
class FeedForward : public torch::nn::Module {
 public:
  FeedForward(at::ScalarType dtype, bool gated);
  at::Tensor operator()(const at::Tensor& x) const;

 private:
  std::shared_ptr<Linear> up_, down_, gate_;
};

// Queries, keys and values (B, S, H, D) of tokens (B, S, kWidth), and the way back.
class Heads : public torch::nn::Module {
 public:
  explicit Heads(const HeadSizes& sizes);
  at::Tensor q(const at::Tensor& x) const;
  at::Tensor k(const at::Tensor& x) const;
  at::Tensor v(const at::Tensor& x) const;
  at::Tensor out(const at::Tensor& attended) const;

 private:
  HeadSizes sizes_;
  std::shared_ptr<Linear> to_q_, to_k_, to_v_, to_out_;
};

// The conditioning (B, kWidth) as `count` vectors (B, 1, kWidth).
class Modulation : public torch::nn::Module {
 public:
  Modulation(int64_t count, at::ScalarType dtype);
  Tensors operator()(const at::Tensor& conditioning) const;

 private:
  int64_t count_;
  std::shared_ptr<Linear> linear_;
};

// Positions (S) to cos and sin (S, D / 2): a plan splits both with their tokens.
class Rotary : public HookedModule {
 public:
  Rotary(int64_t head_dim, at::ScalarType dtype);

 private:
  Tensors run(const Tensors& inputs) override;
  int64_t pairs_;
  at::ScalarType dtype_;
};

// x (B, S, H, D) with each pair of components (i, i + D / 2) turned by its token's angle; an odd D
// leaves the last one as it is. `rotary` is cos and sin of the same tokens.
at::Tensor rotated(const at::Tensor& x, const Tensors& rotary);

// A named list of modules, "0", "1", ...
std::shared_ptr<torch::nn::Module> module_list(
    const std::vector<std::shared_ptr<torch::nn::Module>>& modules);

}  // namespace attncheck
