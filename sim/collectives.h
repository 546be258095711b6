#pragma once

#include <vector>

#include <ATen/core/Tensor.h>

#include "sim/arguments.h"
#include "sim/contribution.h"

namespace attncheck::sim {

using Tensors = std::vector<at::Tensor>;

// One rank's side of an exchange.
struct Exchange {
  Contribution part;
  Tensors inputs;   // what must stay as it is; `part` has a copy
  Tensors outputs;  // what is written at the end; a tensor that is both counts as an output
};

// Makes a rank's side of each collective: checks the tensors, copies the inputs, and says how both
// are cut into chunks. Rounds move and reduce the chunks without more. All throw c10::Error with
// what was found and what is right.
class Collectives {
 public:
  // A member of a group of `size` ranks.
  Collectives(int me, int size, BufferPool& pool) : me_(me), size_(size), pool_(&pool) {}

  Exchange allgather(const std::vector<Tensors>& outputs, const Tensors& inputs) const;
  Exchange allgather_base(const at::Tensor& output, const at::Tensor& input) const;
  Exchange alltoall(const Tensors& outputs, const Tensors& inputs) const;
  Exchange alltoall_base(const at::Tensor& output, const at::Tensor& input,
                         const std::vector<int64_t>& output_splits,
                         const std::vector<int64_t>& input_splits) const;
  Exchange reduce_scatter(const Tensors& outputs, const std::vector<Tensors>& inputs,
                          Reduction reduction) const;
  Exchange reduce_scatter_base(const at::Tensor& output, const at::Tensor& input,
                               Reduction reduction) const;
  Exchange allreduce(const Tensors& tensors, Reduction reduction) const;
  Exchange reduce(const Tensors& tensors, Reduction reduction, int64_t root) const;
  Exchange broadcast(const Tensors& tensors, int64_t root) const;
  // Lists are the root's alone: elsewhere `outputs` (of scatter `inputs`) is empty.
  Exchange gather(const std::vector<Tensors>& outputs, const Tensors& inputs, int64_t root) const;
  Exchange scatter(const Tensors& outputs, const std::vector<Tensors>& inputs, int64_t root) const;
  // `output` is the root's alone: elsewhere it is left as it is, and may be undefined.
  Exchange gather_base(const at::Tensor& output, const at::Tensor& input, int64_t root) const;

 private:
  Exchange make(Kind kind, Tensors inputs, Tensors outputs) const;
  void set_reduction(Contribution& part, Reduction reduction) const;
  int checked_root(Kind kind, int64_t root) const;
  // `count` elements for or from the root, none for the others.
  Chunks with_root_alone(int root, int64_t count) const;

  int me_;
  int size_;
  BufferPool* pool_;
};

// Whether an output of `exchange` overlaps an input in a way that the collective does not allow. In
// place may be, as with NCCL: an allgather or a gather whose input is this rank's own slot of the
// output, and a reduce_scatter or a scatter whose output is its own slot of the input.
bool aliased(const Exchange& exchange, int me);

}  // namespace attncheck::sim
