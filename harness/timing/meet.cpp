#include "harness/timing/meet.h"

#include <vector>

#include <ATen/ops/ones.h>
#include <c10/util/Exception.h>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

namespace attncheck::timing {

void meet(c10d::ProcessGroup& group, c10::Device device) {
  std::vector<at::Tensor> one{at::ones({1}, at::TensorOptions(device))};
  group.allreduce(one)->wait();
  TORCH_CHECK(one[0].item<float>() == static_cast<float>(group.getSize()),
              "ranks that met are not ", group.getSize());
}

}  // namespace attncheck::timing
