#include "cudnn_probe/cudnn_probe.h"

#include <stdexcept>

#include "cudnn_probe/device.h"
#include "cudnn_probe/library.h"
#include "cudnn_probe/sdpa_graph.h"

namespace attncheck {
namespace {

const CudnnDevice& device_of(int sm) {
  std::string known;
  for (const CudnnDevice& device : cudnn_device_table()) {
    if (device.sm == sm) return device;
    known += (known.empty() ? "" : ", ") + std::to_string(device.sm);
  }
  throw std::invalid_argument("SM " + std::to_string(sm) +
                              " is no device that can be asked about (" + known + ")");
}

}  // namespace

Support cudnn_here() {
  return cudnn_library().opened;
}

std::string cudnn_version() {
  const size_t version = cudnn_library().version;
  if (version == 0) return "";
  return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." +
         std::to_string(version % 100);
}

std::vector<int> cudnn_devices() {
  std::vector<int> versions;
  for (const CudnnDevice& device : cudnn_device_table()) versions.push_back(device.sm);
  return versions;
}

CudnnAnswer ask_cudnn(const Problem& block, int sm) {
  const CudnnDevice& device = device_of(sm);
  if (const Support here = cudnn_here(); !here) throw std::runtime_error(here.reason);
  const SdpaCall call = sdpa_call(block);
  CudnnAnswer answer;
  answer.forward = ask_forward(call, device, answer.stats_shape);
  answer.backward = ask_backward(call, device);
  return answer;
}

}  // namespace attncheck
