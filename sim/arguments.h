#pragma once

#include <vector>

#include <ATen/core/Tensor.h>

#include "sim/contribution.h"
#include "sim/transfer.h"

// Between tensors and the plain bytes of a transfer. The checks say what a collective may be given:
// `op` is the name for the message; every function throws c10::Error with what was found and what
// is right. `size` counts the ranks of the group.
namespace attncheck::sim {

// A defined CPU tensor of that dtype whose elements fill a piece of memory, in any order of axes.
void check_dense(const char* op, const at::Tensor& tensor, at::ScalarType dtype);
// Such a one that is contiguous.
void check_tensor(const char* op, const at::Tensor& tensor, at::ScalarType dtype);
void check_defined(const char* op, const at::Tensor& tensor);

// `whole` has `size` times the elements of `part`.
void check_ratio(const char* op, const at::Tensor& whole, const at::Tensor& part, int size);

void check_peer(const char* op, int64_t peer, int size);

const at::Tensor& only(const char* op, const std::vector<at::Tensor>& tensors);
// One tensor per rank of the group.
const std::vector<at::Tensor>& list_of(const char* op, const std::vector<at::Tensor>& tensors,
                                       int size);
const std::vector<at::Tensor>& only_list(const char* op,
                                         const std::vector<std::vector<at::Tensor>>& lists,
                                         int size);

// One chunk per tensor.
Chunks chunks_of(const std::vector<at::Tensor>& tensors);
// Splits are rows of axis 0, one number per peer; none means equal parts, which must be whole rows.
Chunks chunks_of(const char* op, const at::Tensor& tensor, const std::vector<int64_t>& splits,
                 int size);

// Copies contiguous tensors, one after another, into a buffer of the pool.
Buffer pack(const std::vector<at::Tensor>& tensors, BufferPool& pool);

// Where the chunks of outputs go: one tensor for all, cut as `chunks` says, or one tensor per peer.
Destination destination_of(const std::vector<at::Tensor>& outputs, const Chunks& chunks);

}  // namespace attncheck::sim
