#include "impl/models/flux_like.h"

#include <utility>

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>

#include "impl/contract/dtypes.h"
#include "impl/models/drawn.h"
#include "impl/models/layers.h"
#include "impl/models/model_attention.h"

namespace attncheck {
namespace {

// Tokens of one kind, and where they stand: cos and sin.
struct Stream {
  at::Tensor tokens;
  Tensors rotary;
};

at::Tensor modulated(const at::Tensor& x, const at::Tensor& scale, const at::Tensor& shift) {
  return x * (1 + scale) + shift;
}

// What one kind of token has for itself in a double-stream block.
class StreamPart : public torch::nn::Module {
 public:
  explicit StreamPart(const HeadSizes& sizes)
      : norm1_(register_module("norm1", std::make_shared<Norm>(sizes.dtype))),
        norm2_(register_module("norm2", std::make_shared<Norm>(sizes.dtype))),
        modulation_(register_module("modulation", std::make_shared<Modulation>(6, sizes.dtype))),
        heads_(register_module("heads", std::make_shared<Heads>(sizes))),
        feed_forward_(
            register_module("feed_forward", std::make_shared<FeedForward>(sizes.dtype, false))) {}

  Tensors modulation(const at::Tensor& conditioning) const { return (*modulation_)(conditioning); }

  // q, k and v of the tokens.
  Tensors enter(const Stream& stream, const Tensors& m) const {
    const at::Tensor x = modulated((*norm1_)(stream.tokens), m[0], m[1]);
    return {rotated(heads_->q(x), stream.rotary), rotated(heads_->k(x), stream.rotary),
            heads_->v(x)};
  }
  at::Tensor leave(const at::Tensor& tokens, const at::Tensor& attended, const Tensors& m) const {
    const at::Tensor x = tokens + m[2] * heads_->out(attended);
    return x + m[5] * (*feed_forward_)(modulated((*norm2_)(x), m[3], m[4]));
  }

 private:
  std::shared_ptr<Norm> norm1_, norm2_;
  std::shared_ptr<Modulation> modulation_;
  std::shared_ptr<Heads> heads_;
  std::shared_ptr<FeedForward> feed_forward_;
};

class DoubleBlock : public torch::nn::Module {
 public:
  DoubleBlock(const HeadSizes& sizes, AttentionCall attention)
      : attention_(std::move(attention)),
        text_(register_module("text", std::make_shared<StreamPart>(sizes))),
        image_(register_module("image", std::make_shared<StreamPart>(sizes))) {}

  void operator()(Stream& text, Stream& image, const at::Tensor& conditioning) const {
    const Tensors of_text = text_->modulation(conditioning),
                  of_image = image_->modulation(conditioning);
    const Tensors a = text_->enter(text, of_text), b = image_->enter(image, of_image);
    const at::Tensor attended =
        attention_(at::cat({a[0], b[0]}, 1), at::cat({a[1], b[1]}, 1), at::cat({a[2], b[2]}, 1));
    const int64_t first = text.tokens.size(1), second = image.tokens.size(1);
    text.tokens = text_->leave(text.tokens, attended.narrow(1, 0, first), of_text);
    image.tokens = image_->leave(image.tokens, attended.narrow(1, first, second), of_image);
  }

 private:
  AttentionCall attention_;
  std::shared_ptr<StreamPart> text_, image_;
};

// Attention and feed-forward beside each other, on all tokens alike.
class SingleBlock : public torch::nn::Module {
 public:
  SingleBlock(const HeadSizes& sizes, AttentionCall attention)
      : attention_(std::move(attention)),
        norm_(register_module("norm", std::make_shared<Norm>(sizes.dtype))),
        modulation_(register_module("modulation", std::make_shared<Modulation>(3, sizes.dtype))),
        heads_(register_module("heads", std::make_shared<Heads>(sizes))),
        feed_forward_(
            register_module("feed_forward", std::make_shared<FeedForward>(sizes.dtype, false))) {}

  void operator()(Stream& all, const at::Tensor& conditioning) const {
    const Tensors m = (*modulation_)(conditioning);
    const at::Tensor x = modulated((*norm_)(all.tokens), m[0], m[1]);
    const at::Tensor attended = attention_(rotated(heads_->q(x), all.rotary),
                                           rotated(heads_->k(x), all.rotary), heads_->v(x));
    all.tokens = all.tokens + m[2] * (heads_->out(attended) + (*feed_forward_)(x));
  }

 private:
  AttentionCall attention_;
  std::shared_ptr<Norm> norm_;
  std::shared_ptr<Modulation> modulation_;
  std::shared_ptr<Heads> heads_;
  std::shared_ptr<FeedForward> feed_forward_;
};

Stream joined(const Stream& text, const Stream& image) {
  return {at::cat({text.tokens, image.tokens}, 1),
          {at::cat({text.rotary[0], image.rotary[0]}), at::cat({text.rotary[1], image.rotary[1]})}};
}

class FluxLike : public HookedModule {
 public:
  FluxLike(const Case& c, const AttentionCall& attention)
      : HookedModule({{{"image", 3}, {"text", 3}, {"conditioning", 2}}, {{"image", 3}}}),
        image_tokens_(c.problem.q_len),
        text_tokens_(c.problem.kv_len),
        image_in_(register_module("image_in", linear(c))),
        text_in_(register_module("text_in", linear(c))),
        image_rope_(register_module("image_rope", rotary(c))),
        text_rope_(register_module("text_rope", rotary(c))),
        double_(register_module("double", std::make_shared<DoubleBlock>(head_sizes(c), attention))),
        single_(register_module("single", std::make_shared<SingleBlock>(head_sizes(c), attention))),
        norm_out_(register_module("norm_out", std::make_shared<Norm>(head_sizes(c).dtype))),
        proj_out_(register_module("proj_out", linear(c))) {}

 private:
  static std::shared_ptr<Linear> linear(const Case& c) {
    return std::make_shared<Linear>(kWidth, kWidth, head_sizes(c).dtype);
  }
  static std::shared_ptr<Rotary> rotary(const Case& c) {
    return std::make_shared<Rotary>(c.problem.head_dim, head_sizes(c).dtype);
  }

  // The text stands before the image.
  Tensors run(const Tensors& inputs) override {
    Stream image{(*image_in_)(inputs[0]),
                 (*image_rope_)({at::arange(text_tokens_, text_tokens_ + image_tokens_)})};
    Stream text{(*text_in_)(inputs[1]), (*text_rope_)({at::arange(text_tokens_)})};
    (*double_)(text, image, inputs[2]);
    Stream all = joined(text, image);
    (*single_)(all, inputs[2]);
    const int64_t first = text.tokens.size(1), second = image.tokens.size(1);
    return {(*proj_out_)((*norm_out_)(all.tokens.narrow(1, first, second)))};
  }

  int64_t image_tokens_, text_tokens_;
  std::shared_ptr<Linear> image_in_, text_in_;
  std::shared_ptr<Rotary> image_rope_, text_rope_;
  std::shared_ptr<DoubleBlock> double_;
  std::shared_ptr<SingleBlock> single_;
  std::shared_ptr<Norm> norm_out_;
  std::shared_ptr<Linear> proj_out_;
};

Plan flux_plan() {
  Plan plan;
  plan[""].split_inputs = {{0, 1, "image"}, {1, 1, "text"}};
  plan["image_rope"].split_outputs = {{0, 0, "image"}, {1, 0, "image"}};
  plan["text_rope"].split_outputs = {{0, 0, "text"}, {1, 0, "text"}};
  plan["proj_out"].gather_outputs = {{0, 1, "image"}};
  return plan;
}

Case joint_attention(const Case& c) {
  const ShardLengths image = sequence_of(c, c.problem.q_len).lengths,
                     text = sequence_of(c, c.problem.kv_len).lengths;
  ShardLengths joint;
  for (size_t rank = 0; rank < image.size(); ++rank) joint.push_back(text[rank] + image[rank]);
  return attention_case(c, joint, /*causal=*/false);
}

Support supports_flux(const Case& c, const Backend& backend) {
  const bool grouped = c.problem.kv_heads != c.problem.heads;
  if (grouped) return Support::no("hkv is h in this model: leave hkv= out");
  return supports_attention(joint_attention(c), backend);
}

BuiltModel build_flux(const Case& c, const Backend& backend, const MeshGroups& groups) {
  const Problem& p = c.problem;
  const at::ScalarType type = scalar_type(p.dtype);
  BuiltModel built;
  built.root =
      std::make_shared<FluxLike>(c, sharded_attention(joint_attention(c), backend, groups));
  built.plan = flux_plan();
  built.sequences = {{"image", sequence_of(c, p.q_len)}, {"text", sequence_of(c, p.kv_len)}};
  built.inputs = {drawn(c.seed, "image", {p.batch, p.q_len, kWidth}, type),
                  drawn(c.seed, "text", {p.batch, p.kv_len, kWidth}, type),
                  drawn(c.seed, "conditioning", {p.batch, kWidth}, type)};
  built.token_losses = distance_to_target(c, kWidth);
  return built;
}

}  // namespace

Recipe flux_like_recipe() {
  return make_recipe("flux_like", supports_flux, build_flux);
}

}  // namespace attncheck
