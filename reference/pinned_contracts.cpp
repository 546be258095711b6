#include "reference/contract_table.h"

namespace attncheck::reference {
namespace {

constexpr const char* kMeta = "torch/_meta_registrations.py";
constexpr const char* kFake = "torch/_subclasses/fake_impls.py";
constexpr const char* kSchemas = "aten/src/ATen/native/native_functions.yaml";

// "v2.9.0 to v2.15.0: FILES"
std::string read_from(const char* tags, const std::string& files) {
  return std::string(tags) + ": " + files;
}

std::string with_schemas(const char* tags, const char* file) {
  return read_from(tags, std::string(kSchemas) + ", " + file);
}

// ---- math: differentiable by autograd, so it has no backward of its own

std::vector<ReturnedTensor> math_returns(const char* empty_rows) {
  return {{"out", 0, "B H S D", "q", "as_shaped", empty_rows},
          {"weights", 1, "B H S K", "q", "as_shaped", empty_rows}};
}

constexpr const char* kMathNote = "the second return is the attention weights, no log-sum-exp";
constexpr const char* kMathSource = "aten/src/ATen/native/transformers/attention.cpp";

void add_math(ContractTable& table) {
  const std::string op = "_scaled_dot_product_attention_math";
  const std::string arguments =
      "(Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None, float dropout_p=0.0, "
      "bool is_causal=False, Tensor? dropout_mask=None, *, float? scale=None";
  // Up to 2.4 a softmax of nothing, NaN; from 2.5 on aten::_safe_softmax.
  table.push_back({op,
                   "cpu",
                   {2, 4},
                   {2, 4},
                   arguments + ") -> (Tensor, Tensor)",
                   math_returns("-"),
                   std::string(kMathNote) + "; a row without keys is NaN",
                   with_schemas("v2.4.0", kMathSource)});
  table.push_back({op,
                   "cpu",
                   {2, 5},
                   {2, 15},
                   arguments + ", bool enable_gqa=False) -> (Tensor, Tensor)",
                   math_returns("0"),
                   kMathNote,
                   with_schemas("v2.5.0 to v2.15.0", kMathSource)});
}

// ---- flash for CPU

void add_flash_cpu(ContractTable& table) {
  const std::string op = "_scaled_dot_product_flash_attention_for_cpu";
  const char* source = "aten/src/ATen/native/cpu/FlashAttentionKernel.cpp";
  table.push_back({op,
                   "cpu",
                   {2, 4},
                   {2, 15},
                   "(Tensor query, Tensor key, Tensor value, float dropout_p=0.0, "
                   "bool is_causal=False, *, Tensor? attn_mask=None, float? scale=None) -> "
                   "(Tensor output, Tensor logsumexp)",
                   {{"out", 0, "B H S D", "q", "sequence_first", "0"},
                    {"lse", 1, "B H S", "wide", "sequence_first", "0"}},
                   "up to 2.12 the meta kernel says float32 for a float64 q as well; kv_len 0 ends "
                   "the process; grouped heads are read out of bounds up to 2.8",
                   with_schemas("v2.4.0 to v2.15.0", source)});
  table.push_back({op + "_backward",
                   "cpu",
                   {2, 4},
                   {2, 15},
                   "(Tensor grad_out, Tensor query, Tensor key, Tensor value, Tensor out, "
                   "Tensor logsumexp, float dropout_p, bool is_causal, *, Tensor? attn_mask=None, "
                   "float? scale=None) -> (Tensor grad_query, Tensor grad_key, Tensor grad_value)",
                   {{"dq", 0, "B H S D", "q", "sequence_first", "-"},
                    {"dk", 1, "B H K D", "q", "sequence_first", "-"},
                    {"dv", 2, "B H K D", "q", "sequence_first", "-"}},
                   "a row without keys wants lse = +inf: -inf gives NaN in dq, dk and dv",
                   with_schemas("v2.4.0 to v2.15.0", source)});
}

// ---- CUDA: what the fused kernels give back for q, k and v

std::vector<ReturnedTensor> cuda_gradients(const char* memory) {
  return {{"dq", 0, "B H S D", "q", memory, "-"},
          {"dk", 1, "B H K D", "q", memory, "-"},
          {"dv", 2, "B H K D", "q", memory, "-"}};
}

std::vector<ReturnedTensor> cuda_values(const char* out_memory, const char* lse_shape) {
  return {{"out", 0, "B H S D", "q", out_memory, "-"},
          {"lse", 1, lse_shape, "float32", "as_shaped", "-"}};
}

void add_flash(ContractTable& table) {
  const std::string op = "_scaled_dot_product_flash_attention";
  const std::string arguments =
      "(Tensor query, Tensor key, Tensor value, float dropout_p=0.0, bool is_causal=False, "
      "bool return_debug_mask=False, *, float? scale=None) -> (Tensor output, Tensor logsumexp, "
      "Tensor cum_seq_q, Tensor cum_seq_k, SymInt max_q, SymInt max_k, ";
  const std::vector<ReturnedTensor> values = cuda_values("as_q", "B H S");
  const std::string with_seed =
      arguments + "Tensor philox_seed, Tensor philox_offset, Tensor debug_attn_mask)";
  table.push_back(
      {op, "cuda", {2, 4}, {2, 4}, with_seed, values, "", with_schemas("v2.4.0", kFake)});
  table.push_back(
      {op, "cuda", {2, 5}, {2, 6}, with_seed, values, "", with_schemas("v2.5.0, v2.6.0", kMeta)});
  table.push_back({op,
                   "cuda",
                   {2, 7},
                   {2, 15},
                   arguments + "Tensor rng_state, Tensor unused, Tensor debug_attn_mask)",
                   values,
                   "from 2.7 on the seed and the offset of dropout are one tensor, rng_state",
                   with_schemas("v2.7.0 to v2.15.0", kMeta)});
  table.push_back({op + "_backward",
                   "cuda",
                   {2, 4},
                   {2, 15},
                   "(Tensor grad_out, Tensor query, Tensor key, Tensor value, Tensor out, "
                   "Tensor logsumexp, Tensor cum_seq_q, Tensor cum_seq_k, SymInt max_q, "
                   "SymInt max_k, float dropout_p, bool is_causal, Tensor philox_seed, "
                   "Tensor philox_offset, *, float? scale=None) -> "
                   "(Tensor grad_query, Tensor grad_key, Tensor grad_value)",
                   cuda_gradients("as_q"),
                   "",
                   with_schemas("v2.4.0 to v2.15.0", kMeta)});
}

void add_efficient(ContractTable& table) {
  const std::string op = "_scaled_dot_product_efficient_attention";
  const std::string schema =
      "(Tensor query, Tensor key, Tensor value, Tensor? attn_bias, bool compute_log_sumexp, "
      "float dropout_p=0.0, bool is_causal=False, *, float? scale=None) -> "
      "(Tensor output, Tensor log_sumexp, Tensor philox_seed, Tensor philox_offset)";
  const std::vector<ReturnedTensor> values = cuda_values("sequence_first", "B H S32");
  const char* note = "the rows behind the last query hold +inf; on ROCm there are none (from 2.7)";
  table.push_back(
      {op, "cuda", {2, 4}, {2, 4}, schema, values, note, with_schemas("v2.4.0", kFake)});
  table.push_back({op,
                   "cuda",
                   {2, 5},
                   {2, 15},
                   schema,
                   values,
                   note,
                   with_schemas("v2.5.0 to v2.15.0", kMeta)});
  table.push_back({op + "_backward",
                   "cuda",
                   {2, 4},
                   {2, 15},
                   "(Tensor grad_out_, Tensor query, Tensor key, Tensor value, Tensor attn_bias, "
                   "Tensor out, Tensor logsumexp, Tensor philox_seed, Tensor philox_offset, "
                   "float dropout_p, bool[4] grad_input_mask, bool is_causal=False, *, "
                   "float? scale=None) -> (Tensor, Tensor, Tensor, Tensor)",
                   cuda_gradients("sequence_first"),
                   "",
                   with_schemas("v2.4.0 to v2.15.0", kMeta)});
}

constexpr const char* kCudnnResults =
    "(Tensor output, Tensor logsumexp, Tensor cum_seq_q, Tensor cum_seq_k, SymInt max_q, "
    "SymInt max_k, Tensor philox_seed, Tensor philox_offset, Tensor debug_attn_mask)";

void add_cudnn(ContractTable& table) {
  const std::string op = "_scaled_dot_product_cudnn_attention";
  const std::string tail =
      "float dropout_p=0.0, bool is_causal=False, bool return_debug_mask=False, *, "
      "float? scale=None) -> " +
      std::string(kCudnnResults);
  const std::string first = "(Tensor query, Tensor key, Tensor value, " + tail;
  const std::string now =
      "(Tensor query, Tensor key, Tensor value, Tensor? attn_bias, bool compute_log_sumexp, " +
      tail;
  table.push_back({op,
                   "cuda",
                   {2, 4},
                   {2, 4},
                   first,
                   cuda_values("any", "B H S"),
                   "no meta kernel before 2.5",
                   with_schemas("v2.4.0", "aten/src/ATen/native/cudnn/MHA.cpp")});
  table.push_back({op,
                   "cuda",
                   {2, 5},
                   {2, 7},
                   now,
                   cuda_values("any", "B H S"),
                   "the meta kernel's out is contiguous, the kernel's lies as q",
                   with_schemas("v2.5.0 to v2.7.0", kMeta)});
  table.push_back({op,
                   "cuda",
                   {2, 8},
                   {2, 8},
                   now,
                   cuda_values("as_q", "B H S"),
                   "",
                   with_schemas("v2.8.0", kMeta)});
  table.push_back({op,
                   "cuda",
                   {2, 9},
                   {2, 15},
                   now,
                   cuda_values("as_q", "B H S 1"),
                   "(B, H, S) up to 2.8",
                   with_schemas("v2.9.0 to v2.15.0", kMeta)});
}

void add_cudnn_backward(ContractTable& table) {
  const std::string op = "_scaled_dot_product_cudnn_attention_backward";
  const std::string head =
      "(Tensor grad_out, Tensor query, Tensor key, Tensor value, Tensor out, Tensor logsumexp, ";
  table.push_back({op,
                   "cuda",
                   {2, 4},
                   {2, 4},
                   head + "Tensor cum_seq_q, Tensor cum_seq_k, SymInt max_q, SymInt max_k, "
                          "float dropout_p, bool is_causal, Tensor philox_seed, "
                          "Tensor philox_offset, *, float? scale=None) -> (Tensor, Tensor, Tensor)",
                   cuda_gradients("any"),
                   "the order of flash's backward, up to 2.4 alone",
                   with_schemas("v2.4.0", "aten/src/ATen/native/cudnn/MHA.cpp")});
  table.push_back({op,
                   "cuda",
                   {2, 5},
                   {2, 15},
                   head + "Tensor philox_seed, Tensor philox_offset, Tensor attn_bias, "
                          "Tensor cum_seq_q, Tensor cum_seq_k, SymInt max_q, SymInt max_k, "
                          "float dropout_p, bool is_causal, *, float? scale=None) -> "
                          "(Tensor, Tensor, Tensor)",
                   cuda_gradients("as_q"),
                   "another order than flash's, by the same types",
                   with_schemas("v2.5.0 to v2.15.0", kMeta)});
}

ContractTable all_rows() {
  ContractTable table;
  add_math(table);
  add_flash_cpu(table);
  add_flash(table);
  add_efficient(table);
  add_cudnn(table);
  add_cudnn_backward(table);
  return table;
}

}  // namespace

const ContractTable& pinned_contracts() {
  static const ContractTable table = all_rows();
  return table;
}

}  // namespace attncheck::reference
