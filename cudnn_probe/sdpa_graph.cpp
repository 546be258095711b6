#include "cudnn_probe/sdpa_graph.h"

#include <exception>
#include <functional>
#include <memory>

#include <cudnn_frontend.h>

#include "cudnn_probe/library.h"

// The frontend is told to call through this handle instead of what would be linked.
namespace cudnn_frontend {
void* cudnn_dlhandle = nullptr;
}

namespace attncheck {
namespace {

namespace fe = cudnn_frontend;
using Sizes = std::vector<int64_t>;
using TensorPtr = std::shared_ptr<fe::graph::Tensor_attributes>;

fe::DataType_t data_type(DType dtype) {
  switch (dtype) {
    case DType::f64:
      return fe::DataType_t::DOUBLE;
    case DType::f32:
      return fe::DataType_t::FLOAT;
    case DType::bf16:
      return fe::DataType_t::BFLOAT16;
    case DType::f16:
      break;
  }
  return fe::DataType_t::HALF;
}

// (B, H, S, D) of a tensor that lies as (B, S, H, D).
Sizes strides_of(const Sizes& dim) {
  return {dim[2] * dim[1] * dim[3], dim[3], dim[1] * dim[3], 1};
}

struct SdpaGraph {
  SdpaGraph(const SdpaCall& of, const CudnnDevice& device,
            std::shared_ptr<const fe::DeviceProperties> properties)
      : call(of) {
    graph.set_io_data_type(data_type(call.dtype))
        .set_intermediate_data_type(fe::DataType_t::FLOAT)
        .set_compute_data_type(fe::DataType_t::FLOAT);
    graph.set_device_properties(std::move(properties))
        .set_sm_version(device.sm)
        .set_sm_count(device.sm_count);
    q = tensor("Q", {call.batch, call.heads, call.q_len, call.head_dim});
    k = tensor("K", {call.batch, call.kv_heads, call.kv_len, call.head_dim});
    v = tensor("V", {call.batch, call.kv_heads, call.kv_len, call.v_head_dim});
    scale = graph.tensor(fe::graph::Tensor_attributes()
                             .set_name("Scale")
                             .set_dim({1, 1, 1, 1})
                             .set_stride({1, 1, 1, 1})
                             .set_is_pass_by_value(true)
                             .set_data_type(fe::DataType_t::FLOAT));
    if (call.hidden.bias) bias = bias_tensor();
  }

  TensorPtr tensor(const char* name, const Sizes& dim) {
    return graph.tensor(
        fe::graph::Tensor_attributes().set_name(name).set_dim(dim).set_stride(strides_of(dim)));
  }

  // Rows start at multiples of 16 elements, as the backend lays them.
  TensorPtr bias_tensor() {
    const int64_t row = (call.kv_len + 15) / 16 * 16;
    return graph.tensor(fe::graph::Tensor_attributes()
                            .set_name("Bias")
                            .set_dim({call.batch, call.heads, call.q_len, call.kv_len})
                            .set_stride({call.heads * call.q_len * row, call.q_len * row, row, 1}));
  }

  Sizes out_dim() const { return {call.batch, call.heads, call.q_len, call.v_head_dim}; }

  void is_output(const TensorPtr& out, const Sizes& dim) {
    out->set_output(true).set_dim(dim).set_stride(strides_of(dim));
  }

  SdpaCall call;
  fe::graph::Graph graph;
  TensorPtr q, k, v, scale, bias;
};

TensorPtr add_forward(SdpaGraph& g) {
  auto options = fe::graph::SDPA_attributes()
                     .set_name("forward")
                     .set_generate_stats(true)
                     .set_causal_mask(g.call.hidden.is_causal)
                     .set_attn_scale(g.scale);
  if (g.bias) options.set_bias(g.bias);
  const auto [out, stats] = g.graph.sdpa(g.q, g.k, g.v, options);
  g.is_output(out, g.out_dim());
  stats->set_output(true).set_data_type(fe::DataType_t::FLOAT);
  return stats;
}

void add_backward(SdpaGraph& g) {
  auto options = fe::graph::SDPA_backward_attributes()
                     .set_name("backward")
                     .set_causal_mask(g.call.hidden.is_causal)
                     .set_attn_scale(g.scale);
  if (g.bias) options.set_bias(g.bias);
  const TensorPtr out = g.tensor("Out", g.out_dim()), grad_out = g.tensor("GradOut", g.out_dim());
  const TensorPtr stats =
      g.graph.tensor(fe::graph::Tensor_attributes()
                         .set_name("Stats")
                         .set_dim({g.call.batch, g.call.heads, g.call.q_len, 1})
                         .set_stride({g.call.heads * g.call.q_len, g.call.q_len, 1, 1})
                         .set_data_type(fe::DataType_t::FLOAT));
  const auto [dq, dk, dv] = g.graph.sdpa_backward(g.q, g.k, g.v, out, grad_out, stats, options);
  g.is_output(dq, g.q->get_dim());
  g.is_output(dk, g.k->get_dim());
  g.is_output(dv, g.v->get_dim());
}

// One line: messages end in lines of their own and in rows of "_".
std::string one_line(const std::string& text) {
  std::string line = text.substr(0, text.find('\n'));
  while (!line.empty() && (line.back() == '_' || line.back() == ' ')) line.pop_back();
  return line.ends_with(" for") ? line.substr(0, line.size() - 4) : line;
}

Support answered(const char* step, fe::error_t error) {
  if (error.is_good()) return Support::yes();
  return Support::no(std::string(step) + ": " + one_line(error.get_message()));
}

Support plan(fe::graph::Graph& graph) {
  if (auto s = answered("build_operation_graph", graph.build_operation_graph()); !s) return s;
  const std::vector<fe::HeurMode_t> modes{fe::HeurMode_t::A};
  if (auto s = answered("create_execution_plans", graph.create_execution_plans(modes)); !s) {
    return s;
  }
  return answered("check_support", graph.check_support());
}

std::shared_ptr<const fe::DeviceProperties> properties_of(const CudnnDevice& device,
                                                          Support& support) {
  const std::string text = device_text(device);
  auto properties = std::make_shared<fe::DeviceProperties>();
  support = answered("device", properties->deserialize({text.begin(), text.end()}));
  return properties;
}

// `build` adds the operation, `validated` sees the graph once its shapes are inferred.
CudnnPass ask(
    const SdpaCall& call, const CudnnDevice& device, const std::function<void(SdpaGraph&)>& build,
    const std::function<void()>& validated = [] {}) {
  CudnnPass pass;
  try {
    fe::cudnn_dlhandle = cudnn_library().handle;
    const auto properties = properties_of(device, pass.support);
    if (!pass.support) return pass;
    SdpaGraph g(call, device, properties);
    build(g);
    pass.support = answered("validate", g.graph.validate());
    if (!pass.support) return pass;
    validated();
    pass.support = plan(g.graph);
    if (pass.support && g.graph.get_plan_name_at_index(0, pass.engine).is_bad()) pass.engine = "";
  } catch (const std::exception& error) {
    pass.support = Support::no(one_line(error.what()));
  }
  return pass;
}

}  // namespace

CudnnPass ask_forward(const SdpaCall& call, const CudnnDevice& device,
                      std::vector<int64_t>& stats_shape) {
  TensorPtr stats;
  return ask(
      call, device, [&](SdpaGraph& g) { stats = add_forward(g); },
      [&] { stats_shape = stats->get_dim(); });
}

CudnnPass ask_backward(const SdpaCall& call, const CudnnDevice& device) {
  return ask(call, device, add_backward);
}

}  // namespace attncheck
