#include "harness/on_device.h"

#include <iterator>

#include <ATen/ops/empty.h>

namespace attncheck {
namespace {

// All of x's memory as one axis.
at::Tensor whole_storage(const at::Tensor& x) {
  const auto elements = static_cast<int64_t>(x.storage().nbytes() / x.element_size());
  return at::empty({0}, x.options()).set_(x.storage(), 0, {elements}, {1});
}

}  // namespace

at::Tensor on_device(const at::Tensor& x, c10::Device device) {
  if (!x.defined() || x.device() == device) return x;
  return whole_storage(x).to(device).as_strided(x.sizes(), x.strides(), x.storage_offset());
}

InputTensors on_device(InputTensors inputs, c10::Device device) {
  for (at::Tensor* x :
       {&inputs.q, &inputs.k, &inputs.v, &inputs.dout, &inputs.dlse, &inputs.mask}) {
    *x = on_device(*x, device);
  }
  return inputs;
}

void bring_home(RankResult& result) {
  for (auto& [name, tensor] : result.tensors) tensor = tensor.cpu();
}

void bring_home_what_can_be(RankResult& result) {
  for (auto item = result.tensors.begin(); item != result.tensors.end();) {
    try {
      item->second = item->second.cpu();
      ++item;
    } catch (const std::exception&) {
      item = result.tensors.erase(item);
    }
  }
}

}  // namespace attncheck
