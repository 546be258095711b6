#include "impl/backends/cudnn_emulated.h"

#include <algorithm>

#include <ATen/TensorOperators.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/ivalue.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/zeros.h>

#include "impl/backends/cudnn_emulated_kernel.h"
#include "impl/backends/visibility.h"

namespace attncheck {
namespace {

constexpr int kFirstMinor = 5, kLastMinor = 15;  // of LibTorch 2
constexpr int kFirstMinorOfFourAxes = 9;

std::string release_text(int minor) {
  return "2." + std::to_string(minor);
}

int minor_of(const std::string& release) {
  for (int minor = kFirstMinor; minor <= kLastMinor; ++minor) {
    if (release == release_text(minor)) return minor;
  }
  TORCH_CHECK(false, "cudnn_emulated: '", release, "' is no release of LibTorch from ",
              release_text(kFirstMinor), " to ", release_text(kLastMinor));
}

// (B, S, H, D) -> (B, H, S, D) with a last stride of 1.
at::Tensor to_cudnn(const at::Tensor& x) {
  return (x.stride(3) == 1 ? x : x.contiguous()).transpose(1, 2);
}

bool is_one_pair(const BackendInputs& block) {
  return block.q.size(1) == 1 && block.k.size(1) == 1;
}

// One more key and value, zeros, that nothing sees. The one key there is, is seen.
BackendInputs with_hidden_key(const BackendInputs& block) {
  BackendInputs two = block;
  two.k = at::constant_pad_nd(block.k, {0, 0, 0, 0, 0, 1});
  two.v = at::constant_pad_nd(block.v, {0, 0, 0, 0, 0, 1});
  const auto options = block.q.options();
  const at::Tensor seen = block.mask.defined() ? additive_mask(block, block.q.scalar_type())
                                               : at::zeros({1, 1, 1, 1}, options);
  two.mask = at::constant_pad_nd(seen, {0, 1}, -kInfinity);
  two.diagonal.reset();
  return two;
}

// A block as the kernel takes it.
cudnn::Arguments arguments_of(const BackendInputs& block) {
  cudnn::Arguments arguments;
  arguments.q = to_cudnn(block.q);
  arguments.k = to_cudnn(block.k);
  arguments.v = to_cudnn(block.v);
  arguments.scale = block.scale;
  arguments.is_causal = !block.mask.defined() && block.diagonal == 0;
  if (!arguments.is_causal) arguments.attn_bias = additive_mask(block, block.q.scalar_type());
  return arguments;
}

BackendForward forward_of(const BackendInputs& block, LseShape lse_shape) {
  const at::AutoDispatchBelowADInplaceOrView no_autograd;
  const cudnn::Output output = cudnn::forward(arguments_of(block), lse_shape);
  const at::Tensor lse = output.log_sumexp;
  return {output.out.transpose(1, 2), lse, {}, {output.out, lse}};
}

// (B, Sq, H) in the project's form as the kernel wants it back.
at::Tensor raw_lse(const BackendBackward& call, LseShape lse_shape) {
  const at::Tensor lse = lse_for_backward(call).transpose(1, 2);
  return lse_shape == LseShape::BHS1 ? lse.unsqueeze(-1) : lse;
}

BackendGrads backward_of(const BackendBackward& call, LseShape lse_shape) {
  const at::AutoDispatchBelowADInplaceOrView no_autograd;
  const bool one_pair = is_one_pair(call.block);
  const BackendInputs block = one_pair ? with_hidden_key(call.block) : call.block;
  const cudnn::Gradients grads =
      cudnn::backward(to_cudnn(call.grad_out), arguments_of(block), to_cudnn(call.out),
                      raw_lse(call, lse_shape), lse_shape);
  const auto of_keys = [&](const at::Tensor& x) {
    return (one_pair ? x.narrow(2, 0, 1) : x).transpose(1, 2);
  };
  return {grads.dq.transpose(1, 2), of_keys(grads.dk), of_keys(grads.dv)};
}

Support supports_head_dim(const std::string& name, const char* whose, int64_t head_dim) {
  const std::string came = ": that of " + std::string(whose) + " is " + std::to_string(head_dim);
  if (head_dim % cudnn::kHeadDimMultiple != 0) {
    return Support::no(name + " wants a head_dim that is a multiple of 8" + came);
  }
  if (head_dim <= cudnn::kGreatestHeadDim) return Support::yes();
  return Support::no(name + " wants a head_dim of at most 256" + came);
}

Support supports_problem(const std::string& name, const Problem& problem) {
  if (problem.dtype != DType::bf16 && problem.dtype != DType::f16) {
    return Support::no(name + " takes bfloat16 and float16 alone: use dtype=bf16 or f16");
  }
  if (const Support s = supports_head_dim(name, "q and k", problem.head_dim); !s) return s;
  if (const Support s = supports_head_dim(name, "v", problem.v_head_dim); !s) return s;
  if (problem.q_len > 1 || problem.kv_len > 1) return Support::yes();
  return Support::no(name + " has no backward for one query with one key");
}

// Each of them is held true by a test that calls the kernel itself.
std::vector<Quirk> cudnn_quirks() {
  return {{"empty rows", "the out of a row that sees no key is NaN", {}},
          {"LSE of -inf in backward", "an empty row's makes dq NaN: it wants +inf", {}},
          {"q_len = kv_len = 1", "its backward is refused", {}}};
}

BackendContract contract_of(int minor) {
  BackendContract contract;
  const bool four_axes = minor >= kFirstMinorOfFourAxes;
  const std::string parting = release_text(kFirstMinorOfFourAxes);
  contract.releases =
      four_axes ? Releases{parting, ""} : Releases{release_text(kFirstMinor), parting};
  contract.layout = KernelLayout::BHSD;
  contract.lse_shape = four_axes ? LseShape::BHS1 : LseShape::BHS;
  contract.lse_memory = MemoryOrder::as_shaped;
  contract.lse_dtype = LseDType::float32;
  contract.takes.causal = KernelCausal::top_left;
  contract.takes.boolean_mask = false;
  contract.takes.head_dim_multiple = cudnn::kHeadDimMultiple;
  contract.takes.greatest_head_dim = cudnn::kGreatestHeadDim;
  contract.takes.dtypes = {DType::bf16, DType::f16};
  contract.quirks = cudnn_quirks();
  return contract;
}

}  // namespace

Backend cudnn_emulated_backend(const std::string& release) {
  Backend backend;
  backend.name = "cudnn_emulated:" + release;
  backend.contract = contract_of(minor_of(release));
  const LseShape lse_shape = backend.contract.lse_shape;
  backend.supports = [name = backend.name](const Problem& problem) {
    return supports_problem(name, problem);
  };
  backend.forward = [=](const BackendInputs& block) { return forward_of(block, lse_shape); };
  backend.backward = [=](const BackendBackward& call) { return backward_of(call, lse_shape); };
  return backend;
}

std::vector<std::string> cudnn_emulated_releases() {
  std::vector<std::string> releases;
  for (int minor = kFirstMinor; minor <= kLastMinor; ++minor) {
    releases.push_back(release_text(minor));
  }
  return releases;
}

}  // namespace attncheck
