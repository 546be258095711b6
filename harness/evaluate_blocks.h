#pragma once

#include <cstdint>
#include <vector>

#include "impl/backends/attend.h"
#include "impl/contract/backend.h"

namespace attncheck {

// A backend on blocks of keys, one after another, as a ring calls it. Of one block the results are
// the kernel's own.
class KeyBlocks {
 public:
  // Cuts keys, values, mask columns and the diagonal; lengths add up to the keys. The backend
  // outlives it.
  KeyBlocks(const Backend& backend, const BackendInputs& whole,
            const std::vector<int64_t>& lengths);

  // out and lse of all keys, put together by lse_b in the wider of q's dtype and float32:
  //   lse = log sum_b exp(lse_b),  out = sum_b exp(lse_b - lse) out_b.
  BlockAttention forward();
  // Given the global out and lse: dq is the sum over the blocks, dk and dv are laid end to end.
  // After forward.
  BackendGrads backward(const at::Tensor& dout, const at::Tensor& dlse, const at::Tensor& out,
                        const at::Tensor& lse) const;

 private:
  const Backend& backend_;
  std::vector<BackendInputs> blocks_;
  std::vector<std::vector<c10::IValue>> aux_;  // by block, what its forward returned
};

}  // namespace attncheck
