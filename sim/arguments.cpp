#include "sim/arguments.h"

#include <numeric>
#include <utility>

#include <c10/util/Exception.h>

namespace attncheck::sim {

void check_defined(const char* op, const at::Tensor& tensor) {
  TORCH_CHECK(tensor.defined(), "sim: ", op, " was given an undefined tensor");
}

void check_dense(const char* op, const at::Tensor& tensor, at::ScalarType dtype) {
  check_defined(op, tensor);
  TORCH_CHECK(tensor.is_cpu() && tensor.layout() == at::kStrided, "sim: ", op,
              " takes dense CPU tensors, not ", tensor.layout(), " on ", tensor.device());
  TORCH_CHECK(tensor.scalar_type() == dtype, "sim: ", op, " was given ", tensor.scalar_type(),
              " beside ", dtype);
  TORCH_CHECK(tensor.is_non_overlapping_and_dense(), "sim: ", op,
              " takes tensors without gaps, not sizes ", tensor.sizes(), " with strides ",
              tensor.strides());
}

void check_tensor(const char* op, const at::Tensor& tensor, at::ScalarType dtype) {
  check_dense(op, tensor, dtype);
  TORCH_CHECK(tensor.is_contiguous(), "sim: ", op, " takes contiguous tensors, not sizes ",
              tensor.sizes(), " with strides ", tensor.strides());
}

void check_ratio(const char* op, const at::Tensor& whole, const at::Tensor& part, int size) {
  check_defined(op, whole);
  check_defined(op, part);
  TORCH_CHECK(whole.numel() == size * part.numel(), "sim: ", op, " was given ", whole.numel(),
              " elements for the whole group and ", part.numel(), " for one of its ", size,
              " ranks");
}

void check_peer(const char* op, int64_t peer, int size) {
  TORCH_CHECK(peer >= 0 && peer < size, "sim: ", op, ": rank ", peer, " is not in a group of ",
              size, " ranks");
}

const at::Tensor& only(const char* op, const std::vector<at::Tensor>& tensors) {
  TORCH_CHECK(tensors.size() == 1, "sim: ", op, " takes 1 tensor per rank, not ", tensors.size());
  return tensors.front();
}

const std::vector<at::Tensor>& list_of(const char* op, const std::vector<at::Tensor>& tensors,
                                       int size) {
  TORCH_CHECK(tensors.size() == static_cast<size_t>(size), "sim: ", op, " takes ", size,
              " tensors, one per rank of the group, not ", tensors.size());
  return tensors;
}

const std::vector<at::Tensor>& only_list(const char* op,
                                         const std::vector<std::vector<at::Tensor>>& lists,
                                         int size) {
  TORCH_CHECK(lists.size() == 1, "sim: ", op, " takes 1 list per rank, not ", lists.size());
  return list_of(op, lists.front(), size);
}

Chunks chunks_of(const std::vector<at::Tensor>& tensors) {
  std::vector<int64_t> counts;
  bool equal = true;
  for (const at::Tensor& tensor : tensors) {
    counts.push_back(tensor.numel());
    equal = equal && counts.back() == counts.front();
  }
  return equal ? Chunks::even(counts.front()) : Chunks::uneven(std::move(counts));
}

Chunks chunks_of(const char* op, const at::Tensor& tensor, const std::vector<int64_t>& splits,
                 int size) {
  TORCH_CHECK(tensor.dim() > 0, "sim: ", op, " cannot split a tensor without axes");
  const int64_t rows = tensor.size(0);
  const int64_t row = rows == 0 ? 0 : tensor.numel() / rows;
  if (splits.empty()) {
    TORCH_CHECK(rows % size == 0, "sim: ", op, " cannot share ", rows, " rows equally among ", size,
                " ranks");
    return Chunks::even(rows / size * row);
  }
  TORCH_CHECK(splits.size() == static_cast<size_t>(size), "sim: ", op, " was given ", splits.size(),
              " split sizes for ", size, " ranks");
  for (int64_t split : splits) {
    TORCH_CHECK(split >= 0, "sim: ", op, " was given the split size ", split);
  }
  const int64_t sum = std::accumulate(splits.begin(), splits.end(), int64_t{0});
  TORCH_CHECK(sum == rows, "sim: ", op, " was given split sizes that add up to ", sum,
              " for a tensor of ", rows, " rows");
  std::vector<int64_t> counts = splits;
  for (int64_t& count : counts) count *= row;
  return Chunks::uneven(std::move(counts));
}

Buffer pack(const std::vector<at::Tensor>& tensors, BufferPool& pool) {
  size_t bytes = 0;
  for (const at::Tensor& tensor : tensors) bytes += tensor.nbytes();
  Buffer buffer = pool.take(bytes);
  std::byte* to = buffer.data();
  for (const at::Tensor& tensor : tensors) {
    copy_elements(to, tensor.const_data_ptr(), tensor.numel(), tensor.scalar_type());
    to += tensor.nbytes();
  }
  return buffer;
}

Destination destination_of(const std::vector<at::Tensor>& outputs, const Chunks& chunks) {
  Destination to;
  to.chunks = chunks;
  for (const at::Tensor& output : outputs) {
    to.starts.push_back(output.mutable_data_ptr());
    to.element_size = output.element_size();
  }
  return to;
}

}  // namespace attncheck::sim
