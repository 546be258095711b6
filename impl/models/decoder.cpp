#include "impl/models/decoder.h"

#include <utility>

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/zeros.h>

#include "impl/contract/dtypes.h"
#include "impl/models/drawn.h"
#include "impl/models/layers.h"
#include "impl/models/model_attention.h"

namespace attncheck {
namespace {

constexpr int64_t kVocabulary = 11;

class DecoderBlock : public torch::nn::Module {
 public:
  DecoderBlock(const HeadSizes& sizes, AttentionCall attention)
      : attention_(std::move(attention)),
        norm1_(register_module("norm1", std::make_shared<Norm>(sizes.dtype))),
        norm2_(register_module("norm2", std::make_shared<Norm>(sizes.dtype))),
        heads_(register_module("heads", std::make_shared<Heads>(sizes))),
        feed_forward_(
            register_module("feed_forward", std::make_shared<FeedForward>(sizes.dtype, true))) {}

  at::Tensor operator()(const at::Tensor& tokens, const Tensors& rotary) const {
    const at::Tensor x = (*norm1_)(tokens);
    const at::Tensor attended =
        attention_(rotated(heads_->q(x), rotary), rotated(heads_->k(x), rotary), heads_->v(x));
    const at::Tensor after = tokens + heads_->out(attended);
    return after + (*feed_forward_)((*norm2_)(after));
  }

 private:
  AttentionCall attention_;
  std::shared_ptr<Norm> norm1_, norm2_;
  std::shared_ptr<Heads> heads_;
  std::shared_ptr<FeedForward> feed_forward_;
};

class Decoder : public HookedModule {
 public:
  Decoder(const Case& c, const AttentionCall& attention)
      : HookedModule({{{"ids", 2}}, {{"logits", 3}}}),
        tokens_(c.problem.q_len),
        embedding_(
            register_parameter("embedding", at::zeros({kVocabulary, kWidth}, head_sizes(c).dtype))),
        rope_(register_module("rope",
                              std::make_shared<Rotary>(c.problem.head_dim, head_sizes(c).dtype))),
        blocks_{std::make_shared<DecoderBlock>(head_sizes(c), attention),
                std::make_shared<DecoderBlock>(head_sizes(c), attention)},
        norm_out_(register_module("norm_out", std::make_shared<Norm>(head_sizes(c).dtype))),
        head_out_(register_module(
            "head_out", std::make_shared<Linear>(kWidth, kVocabulary, head_sizes(c).dtype))) {
    register_module("blocks", module_list({blocks_.begin(), blocks_.end()}));
  }

 private:
  Tensors run(const Tensors& inputs) override {
    at::Tensor tokens = at::embedding(embedding_, inputs[0]);
    const Tensors rotary = (*rope_)({at::arange(tokens_)});
    for (const auto& block : blocks_) tokens = (*block)(tokens, rotary);
    return {(*head_out_)((*norm_out_)(tokens))};
  }

  int64_t tokens_;
  at::Tensor embedding_;
  std::shared_ptr<Rotary> rope_;
  std::vector<std::shared_ptr<DecoderBlock>> blocks_;
  std::shared_ptr<Norm> norm_out_;
  std::shared_ptr<Linear> head_out_;
};

Plan decoder_plan() {
  Plan plan;
  plan[""].split_inputs = {{0, 1, "tokens"}};
  plan["rope"].split_outputs = {{0, 0, "tokens"}, {1, 0, "tokens"}};
  plan["head_out"].gather_outputs = {{0, 1, "tokens"}};
  return plan;
}

Case causal_attention(const Case& c) {
  return attention_case(c, sequence_of(c, c.problem.q_len).lengths, /*causal=*/true);
}

Support supports_decoder(const Case& c, const Backend& backend) {
  const Problem& p = c.problem;
  if (p.kv_len != p.q_len) return Support::no("a decoder has no other tokens: leave kv= out");
  return supports_attention(causal_attention(c), backend);
}

std::function<at::Tensor(const at::Tensor&)> cross_entropy(const Case& c) {
  const Problem& p = c.problem;
  const at::ScalarType type = lse_scalar_type(scalar_type(p.dtype));
  const at::Tensor next = drawn_ids(c.seed, "target", {p.batch, p.q_len}, kVocabulary).unsqueeze(2);
  return [=](const at::Tensor& logits) {
    return -at::log_softmax(logits.to(type), 2).gather(2, next.to(logits.device())).squeeze(2);
  };
}

BuiltModel build_decoder(const Case& c, const Backend& backend, const MeshGroups& groups) {
  const Problem& p = c.problem;
  BuiltModel built;
  built.root =
      std::make_shared<Decoder>(c, sharded_attention(causal_attention(c), backend, groups));
  built.plan = decoder_plan();
  built.sequences = {{"tokens", sequence_of(c, p.q_len)}};
  built.inputs = {drawn_ids(c.seed, "ids", {p.batch, p.q_len}, kVocabulary)};
  built.token_losses = cross_entropy(c);
  return built;
}

}  // namespace

Recipe decoder_recipe() {
  return make_recipe("decoder", supports_decoder, build_decoder);
}

}  // namespace attncheck
