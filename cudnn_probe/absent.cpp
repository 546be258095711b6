#include <stdexcept>

#include "cudnn_probe/cudnn_probe.h"
#include "cudnn_probe/device.h"

// Takes the place of the others in a build that found no cuDNN or no frontend.
namespace attncheck {

Support cudnn_here() {
  return Support::no("this build has no cuDNN probe: " ATTNCHECK_CUDNN_ABSENT);
}

std::string cudnn_version() {
  return "";
}

std::vector<int> cudnn_devices() {
  std::vector<int> versions;
  for (const CudnnDevice& device : cudnn_device_table()) versions.push_back(device.sm);
  return versions;
}

CudnnAnswer ask_cudnn(const Problem&, int) {
  throw std::runtime_error(cudnn_here().reason);
}

}  // namespace attncheck
