#include "impl/models/wan_like.h"

#include <utility>

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/zeros.h>

#include "impl/contract/dtypes.h"
#include "impl/models/drawn.h"
#include "impl/models/layers.h"
#include "impl/models/model_attention.h"

namespace attncheck {
namespace {

constexpr int64_t kParts = 6;  // of a block's modulation: scale, shift, gate, twice

struct WanAttention {
  AttentionCall over_sequence, over_text;
};

at::Tensor modulated_by(const at::Tensor& x, const Tensors& m, size_t first) {
  return x * (1 + m[first]) + m[first + 1];
}

class WanBlock : public HookedModule {
 public:
  WanBlock(const HeadSizes& sizes, WanAttention attention)
      : HookedModule({{{"tokens", 3}, {"text", 3}, {"modulation", 3}, {"cos", 2}, {"sin", 2}},
                      {{"tokens", 3}}}),
        attention_(std::move(attention)),
        table_(register_parameter("table", at::zeros({1, kParts, kWidth}, sizes.dtype))),
        norm1_(register_module("norm1", std::make_shared<Norm>(sizes.dtype))),
        norm2_(register_module("norm2", std::make_shared<Norm>(sizes.dtype))),
        norm3_(register_module("norm3", std::make_shared<Norm>(sizes.dtype))),
        self_(register_module("self", std::make_shared<Heads>(sizes))),
        cross_(register_module("cross", std::make_shared<Heads>(sizes))),
        feed_forward_(
            register_module("feed_forward", std::make_shared<FeedForward>(sizes.dtype, false))) {}

 private:
  Tensors run(const Tensors& inputs) override {
    const at::Tensor &text = inputs[1], tokens = inputs[0];
    const Tensors m = (inputs[2] + table_).chunk(kParts, 1);
    const at::Tensor a = tokens + m[2] * attend_itself(modulated_by((*norm1_)(tokens), m, 0),
                                                       {inputs[3], inputs[4]});
    const at::Tensor b = a + attend_text((*norm2_)(a), text);
    return {b + m[5] * (*feed_forward_)(modulated_by((*norm3_)(b), m, 3))};
  }

  at::Tensor attend_itself(const at::Tensor& x, const Tensors& rotary) const {
    return self_->out(attention_.over_sequence(rotated(self_->q(x), rotary),
                                               rotated(self_->k(x), rotary), self_->v(x)));
  }
  at::Tensor attend_text(const at::Tensor& x, const at::Tensor& text) const {
    return cross_->out(attention_.over_text(cross_->q(x), cross_->k(text), cross_->v(text)));
  }

  WanAttention attention_;
  at::Tensor table_;
  std::shared_ptr<Norm> norm1_, norm2_, norm3_;
  std::shared_ptr<Heads> self_, cross_;
  std::shared_ptr<FeedForward> feed_forward_;
};

class WanLike : public HookedModule {
 public:
  WanLike(const Case& c, const WanAttention& attention)
      : HookedModule({{{"latents", 3}, {"text", 3}, {"conditioning", 2}}, {{"latents", 3}}}),
        tokens_(c.problem.q_len),
        patch_in_(register_module("patch_in", linear(c))),
        text_in_(register_module("text_in", linear(c))),
        modulation_(register_module("modulation",
                                    std::make_shared<Modulation>(kParts, head_sizes(c).dtype))),
        rope_(register_module("rope",
                              std::make_shared<Rotary>(c.problem.head_dim, head_sizes(c).dtype))),
        blocks_{std::make_shared<WanBlock>(head_sizes(c), attention),
                std::make_shared<WanBlock>(head_sizes(c), attention)},
        norm_out_(register_module("norm_out", std::make_shared<Norm>(head_sizes(c).dtype))),
        proj_out_(register_module("proj_out", linear(c))) {
    register_module("blocks", module_list({blocks_.begin(), blocks_.end()}));
  }

 private:
  static std::shared_ptr<Linear> linear(const Case& c) {
    return std::make_shared<Linear>(kWidth, kWidth, head_sizes(c).dtype);
  }

  Tensors run(const Tensors& inputs) override {
    at::Tensor tokens = (*patch_in_)(inputs[0]);
    const at::Tensor text = (*text_in_)(inputs[1]);
    const at::Tensor modulation = at::cat((*modulation_)(inputs[2]), 1);
    const Tensors rotary = (*rope_)({at::arange(tokens_)});
    for (const auto& block : blocks_) {
      tokens = (*block)({tokens, text, modulation, rotary[0], rotary[1]}).front();
    }
    return {(*proj_out_)((*norm_out_)(tokens))};
  }

  int64_t tokens_;
  std::shared_ptr<Linear> patch_in_, text_in_;
  std::shared_ptr<Modulation> modulation_;
  std::shared_ptr<Rotary> rope_;
  std::vector<std::shared_ptr<WanBlock>> blocks_;
  std::shared_ptr<Norm> norm_out_;
  std::shared_ptr<Linear> proj_out_;
};

Plan wan_plan() {
  Plan plan;
  plan["rope"].split_outputs = {{0, 0, "latents"}, {1, 0, "latents"}};
  plan["blocks.0"].split_inputs = {{0, 1, "latents"}};
  plan["proj_out"].gather_outputs = {{0, 1, "latents"}};
  return plan;
}

Case self_attention(const Case& c) {
  return attention_case(c, sequence_of(c, c.problem.q_len).lengths, /*causal=*/false);
}

Support supports_wan(const Case& c, const Backend& backend) {
  const Problem& p = c.problem;
  if (p.kv_heads != p.heads) return Support::no("hkv is h in this model: leave hkv= out");
  if (auto s = supports_attention(self_attention(c), backend); !s) return s;
  return supports_own_attention(c, backend);
}

BuiltModel build_wan(const Case& c, const Backend& backend, const MeshGroups& groups) {
  const Problem& p = c.problem;
  const at::ScalarType type = scalar_type(p.dtype);
  BuiltModel built;
  built.root = std::make_shared<WanLike>(
      c, WanAttention{sharded_attention(self_attention(c), backend, groups),
                      own_attention(backend, p.head_dim)});
  built.plan = wan_plan();
  built.sequences = {{"latents", sequence_of(c, p.q_len)}};
  built.inputs = {drawn(c.seed, "latents", {p.batch, p.q_len, kWidth}, type),
                  drawn(c.seed, "text", {p.batch, p.kv_len, kWidth}, type),
                  drawn(c.seed, "conditioning", {p.batch, kWidth}, type)};
  built.token_losses = distance_to_target(c, kWidth);
  return built;
}

}  // namespace

Recipe wan_like_recipe() {
  return make_recipe("wan_like", supports_wan, build_wan);
}

}  // namespace attncheck
