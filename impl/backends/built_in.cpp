#include "impl/backends/built_in.h"

#include <utility>

#include "impl/backends/cudnn.h"
#include "impl/backends/cudnn_emulated.h"
#include "impl/backends/dispatcher.h"
#include "impl/backends/efficient_cuda.h"
#include "impl/backends/flash_cpu.h"
#include "impl/backends/flash_cuda.h"
#include "impl/backends/math.h"
#include "impl/backends/native.h"

namespace attncheck {

std::vector<Backend> built_in_backends() {
  return {math_backend(), flash_cpu_backend(), native_backend(), auto_dispatcher().backend()};
}

std::vector<BackendFamily> built_in_backend_families() {
  BackendFamily cudnn;
  cudnn.name = "cudnn_emulated";
  cudnn.parameter = "a release of LibTorch";
  for (const std::string& release : cudnn_emulated_releases()) {
    cudnn.all.push_back(cudnn_emulated_backend(release));
  }
  cudnn.listed = {"cudnn_emulated:2.8", "cudnn_emulated:2.9"};
  return {std::move(cudnn)};
}

std::vector<Backend> cuda_backends() {
  return {cudnn_backend(), flash_cuda_backend(), efficient_cuda_backend()};
}

std::string backends_with_lse(const Problem& block) {
  std::vector<std::string> names;
  for (const Backend& backend : built_in_backends()) {
    if (backend.contract.lse && backend.supports(block)) names.push_back(backend.name);
  }
  std::string text;
  for (size_t i = 0; i < names.size(); ++i) {
    const char* before = i == 0 ? "" : i + 1 == names.size() ? " or " : ", ";
    text += before + names[i];
  }
  return text;
}

}  // namespace attncheck
