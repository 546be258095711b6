#include "impl/sharding/hooked_module.h"

#include <c10/util/Exception.h>

namespace attncheck {

Tensors HookedModule::operator()(Tensors inputs) {
  TORCH_CHECK(inputs.size() == ports_.inputs.size(), name(), " was given ", inputs.size(),
              " tensors and takes ", ports_.inputs.size());
  for (const Hook& hook : before_) hook(inputs);
  Tensors outputs = run(inputs);
  TORCH_CHECK(outputs.size() == ports_.outputs.size(), name(), " returned ", outputs.size(),
              " tensors, its ports say ", ports_.outputs.size());
  for (const Hook& hook : after_) hook(outputs);
  return outputs;
}

}  // namespace attncheck
