#include "cli/version.h"

#include <torch/version.h>

namespace attncheck::cli {

const char* attncheck_version() {
  return ATTNCHECK_VERSION;
}

const char* libtorch_version() {
  return TORCH_VERSION;
}

}  // namespace attncheck::cli
