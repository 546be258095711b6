#include "impl/models/layers.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/exp2.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/outer.h>
#include <ATen/ops/rsqrt.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/zeros.h>

namespace attncheck {
namespace {

constexpr double kSmallest = 1e-6;    // added to a mean square
constexpr double kSlowestTurn = 6.0;  // octaves from the first pair's frequency to beyond the last

Ports one_to_one(const char* input, const char* output) {
  return {{{input, 3}}, {{output, 3}}};
}

}  // namespace

Linear::Linear(int64_t in, int64_t out, at::ScalarType dtype)
    : HookedModule(one_to_one("x", "y")),
      weight_(register_parameter("weight", at::zeros({out, in}, dtype))) {}

Tensors Linear::run(const Tensors& inputs) {
  return {at::linear(inputs[0], weight_)};
}

Norm::Norm(at::ScalarType dtype)
    : weight_(register_parameter("weight", at::zeros({kWidth}, dtype))) {}

at::Tensor Norm::operator()(const at::Tensor& x) const {
  return x * at::rsqrt(x.square().mean(-1, /*keepdim=*/true) + kSmallest) * weight_;
}

FeedForward::FeedForward(at::ScalarType dtype, bool gated)
    : up_(register_module("up", std::make_shared<Linear>(kWidth, kInnerWidth, dtype))),
      down_(register_module("down", std::make_shared<Linear>(kInnerWidth, kWidth, dtype))) {
  if (gated) gate_ = register_module("gate", std::make_shared<Linear>(kWidth, kInnerWidth, dtype));
}

at::Tensor FeedForward::operator()(const at::Tensor& x) const {
  const at::Tensor up = (*up_)(x);
  return (*down_)(gate_ ? at::silu((*gate_)(x)) * up : at::silu(up));
}

Heads::Heads(const HeadSizes& sizes)
    : sizes_(sizes),
      to_q_(register_module(
          "to_q", std::make_shared<Linear>(kWidth, sizes.heads * sizes.head_dim, sizes.dtype))),
      to_k_(register_module(
          "to_k", std::make_shared<Linear>(kWidth, sizes.kv_heads * sizes.head_dim, sizes.dtype))),
      to_v_(register_module(
          "to_v", std::make_shared<Linear>(kWidth, sizes.kv_heads * sizes.head_dim, sizes.dtype))),
      to_out_(register_module(
          "to_out", std::make_shared<Linear>(sizes.heads * sizes.head_dim, kWidth, sizes.dtype))) {}

at::Tensor Heads::q(const at::Tensor& x) const {
  return (*to_q_)(x).unflatten(2, {sizes_.heads, sizes_.head_dim});
}

at::Tensor Heads::k(const at::Tensor& x) const {
  return (*to_k_)(x).unflatten(2, {sizes_.kv_heads, sizes_.head_dim});
}

at::Tensor Heads::v(const at::Tensor& x) const {
  return (*to_v_)(x).unflatten(2, {sizes_.kv_heads, sizes_.head_dim});
}

at::Tensor Heads::out(const at::Tensor& attended) const {
  return (*to_out_)(attended.flatten(2));
}

Modulation::Modulation(int64_t count, at::ScalarType dtype)
    : count_(count),
      linear_(register_module("linear", std::make_shared<Linear>(kWidth, count * kWidth, dtype))) {}

Tensors Modulation::operator()(const at::Tensor& conditioning) const {
  return (*linear_)(at::silu(conditioning.unsqueeze(1))).chunk(count_, 2);
}

Rotary::Rotary(int64_t head_dim, at::ScalarType dtype)
    : HookedModule({{{"positions", 1}}, {{"cos", 2}, {"sin", 2}}}),
      pairs_(head_dim / 2),
      dtype_(dtype) {}

Tensors Rotary::run(const Tensors& inputs) {
  const at::Tensor pair = at::arange(pairs_, at::kDouble);
  const at::Tensor turns =
      at::exp2(pair * (-kSlowestTurn / static_cast<double>(std::max<int64_t>(1, pairs_))));
  const at::Tensor angles = at::outer(inputs[0].to(at::kDouble), turns);
  return {angles.cos().to(dtype_), angles.sin().to(dtype_)};
}

at::Tensor rotated(const at::Tensor& x, const Tensors& rotary) {
  const at::Tensor cos = rotary[0].to(x.device()).unsqueeze(1),
                   sin = rotary[1].to(x.device()).unsqueeze(1);
  const int64_t pairs = x.size(3) / 2;
  const at::Tensor a = x.narrow(3, 0, pairs), b = x.narrow(3, pairs, pairs),
                   rest = x.narrow(3, 2 * pairs, x.size(3) - 2 * pairs);
  return at::cat({a * cos - b * sin, a * sin + b * cos, rest}, 3);
}

std::shared_ptr<torch::nn::Module> module_list(
    const std::vector<std::shared_ptr<torch::nn::Module>>& modules) {
  auto list = std::make_shared<torch::nn::Module>();
  for (size_t i = 0; i < modules.size(); ++i) list->register_module(std::to_string(i), modules[i]);
  return list;
}

}  // namespace attncheck
