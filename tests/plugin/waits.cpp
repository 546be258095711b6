#include <chrono>
#include <thread>

#include <ATen/TensorOperators.h>

#include "plugin/plugin.h"

// An implementation whose forward takes at least 0.1 s on every rank, whatever it is asked: for
// benchmarks, which do not look at values.

namespace {

using namespace attncheck;

Attention attention_that_waits(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                               const AttentionOptions&, const MeshGroups&) {
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  return {q + k + v, {}};
}

void init(Additions& additions) {
  additions.implementations.push_back(
      {"waits", [](const Case&, const Backend&) { return Support::yes(); }, attention_that_waits});
}

}  // namespace

ATTNCHECK_PLUGIN("one that waits", init);
