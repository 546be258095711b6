#include "sim/collectives.h"

#include <algorithm>
#include <utility>

#include <c10/util/Exception.h>

#include "sim/memory.h"

namespace attncheck::sim {

namespace {

Bytes slot(const Tensors& tensors, const Chunks& chunks, int index) {
  if (tensors.size() > 1) return bytes_of(tensors[index]);
  const int64_t element = tensors.front().element_size();
  const std::byte* begin = bytes_of(tensors.front()).begin;
  if (begin == nullptr) return {};
  begin += chunks.offset(index) * element;
  return {begin, begin + chunks.count(index) * element};
}

bool in_place(const Exchange& exchange, int me) {
  const Contribution& part = exchange.part;
  switch (part.kind) {
    case Kind::kAllgather:
    case Kind::kAllgatherBase:
    case Kind::kGather:
    case Kind::kGatherBase:
      return bytes_of(exchange.inputs.front()) == slot(exchange.outputs, part.receives, me);
    case Kind::kReduceScatter:
    case Kind::kReduceScatterBase:
    case Kind::kScatter:
      return bytes_of(exchange.outputs.front()) == slot(exchange.inputs, part.sends, me);
    default:
      return false;
  }
}

bool any_overlap(const at::Tensor& input, const Tensors& outputs) {
  const Bytes bytes = bytes_of(input);
  return std::any_of(outputs.begin(), outputs.end(),
                     [&](const at::Tensor& output) { return overlap(bytes, bytes_of(output)); });
}

}  // namespace

Exchange Collectives::make(Kind kind, Tensors inputs, Tensors outputs) const {
  const at::Tensor& first = inputs.empty() ? outputs.front() : inputs.front();
  check_defined(name_of(kind), first);
  Exchange made;
  made.part.kind = kind;
  made.part.dtype = first.scalar_type();
  for (const at::Tensor& input : inputs) check_tensor(name_of(kind), input, made.part.dtype);
  const auto check_output = kind == Kind::kAllgather ? check_dense : check_tensor;
  for (const at::Tensor& output : outputs) check_output(name_of(kind), output, made.part.dtype);
  made.part.sizes = first.sizes().vec();
  made.part.data = pack(inputs, *pool_);
  made.inputs = std::move(inputs);
  made.outputs = std::move(outputs);
  return made;
}

Exchange Collectives::allgather(const std::vector<Tensors>& outputs, const Tensors& inputs) const {
  const at::Tensor& input = only("allgather", inputs);
  Exchange made = make(Kind::kAllgather, {input}, only_list("allgather", outputs, size_));
  made.part.sends = Chunks::shared(input.numel());
  made.part.receives = chunks_of(made.outputs);
  return made;
}

Exchange Collectives::allgather_base(const at::Tensor& output, const at::Tensor& input) const {
  check_ratio("_allgather_base", output, input, size_);
  Exchange made = make(Kind::kAllgatherBase, {input}, {output});
  made.part.sends = Chunks::shared(input.numel());
  made.part.receives = Chunks::even(input.numel());
  return made;
}

Exchange Collectives::alltoall(const Tensors& outputs, const Tensors& inputs) const {
  list_of("alltoall", outputs, size_);
  list_of("alltoall", inputs, size_);
  Exchange made = make(Kind::kAlltoall, inputs, outputs);
  made.part.sends = chunks_of(inputs);
  made.part.receives = chunks_of(outputs);
  return made;
}

Exchange Collectives::alltoall_base(const at::Tensor& output, const at::Tensor& input,
                                    const std::vector<int64_t>& output_splits,
                                    const std::vector<int64_t>& input_splits) const {
  Exchange made = make(Kind::kAlltoallBase, {input}, {output});
  made.part.sends = chunks_of("alltoall_base", input, input_splits, size_);
  made.part.receives = chunks_of("alltoall_base", output, output_splits, size_);
  return made;
}

Exchange Collectives::reduce_scatter(const Tensors& outputs, const std::vector<Tensors>& inputs,
                                     Reduction reduction) const {
  const at::Tensor& output = only("reduce_scatter", outputs);
  Exchange made = make(Kind::kReduceScatter, only_list("reduce_scatter", inputs, size_), {output});
  set_reduction(made.part, reduction);
  made.part.sends = chunks_of(made.inputs);
  made.part.receives = Chunks::shared(output.numel());
  return made;
}

Exchange Collectives::reduce_scatter_base(const at::Tensor& output, const at::Tensor& input,
                                          Reduction reduction) const {
  check_ratio("_reduce_scatter_base", input, output, size_);
  Exchange made = make(Kind::kReduceScatterBase, {input}, {output});
  set_reduction(made.part, reduction);
  made.part.sends = Chunks::even(output.numel());
  made.part.receives = Chunks::shared(output.numel());
  return made;
}

Exchange Collectives::allreduce(const Tensors& tensors, Reduction reduction) const {
  const at::Tensor& tensor = only("allreduce", tensors);
  Exchange made = make(Kind::kAllreduce, {tensor}, {});
  set_reduction(made.part, reduction);
  made.part.sends = made.part.receives = Chunks::shared(tensor.numel());
  made.outputs.swap(made.inputs);
  return made;
}

Exchange Collectives::reduce(const Tensors& tensors, Reduction reduction, int64_t root) const {
  const at::Tensor& tensor = only("reduce", tensors);
  Exchange made = make(Kind::kReduce, {tensor}, {});
  made.part.root = checked_root(Kind::kReduce, root);
  set_reduction(made.part, reduction);
  made.part.sends = made.part.receives = Chunks::shared(tensor.numel());
  if (me_ == root) made.outputs.swap(made.inputs);
  return made;
}

Exchange Collectives::broadcast(const Tensors& tensors, int64_t root) const {
  const at::Tensor& tensor = only("broadcast", tensors);
  Tensors read, written;
  (me_ == root ? read : written).push_back(tensor);
  Exchange made = make(Kind::kBroadcast, std::move(read), std::move(written));
  made.part.root = checked_root(Kind::kBroadcast, root);
  made.part.sends = made.part.receives = Chunks::shared(tensor.numel());
  return made;
}

Exchange Collectives::gather(const std::vector<Tensors>& outputs, const Tensors& inputs,
                             int64_t root) const {
  const at::Tensor& input = only("gather", inputs);
  const int to = checked_root(Kind::kGather, root);
  TORCH_CHECK(me_ == to || outputs.empty(), "sim: gather takes outputs at its root alone");
  Exchange made =
      make(Kind::kGather, {input}, me_ == to ? only_list("gather", outputs, size_) : Tensors{});
  made.part.root = to;
  made.part.sends = with_root_alone(to, input.numel());
  made.part.receives = me_ == to ? chunks_of(made.outputs) : with_root_alone(to, 0);
  return made;
}

Exchange Collectives::gather_base(const at::Tensor& output, const at::Tensor& input,
                                  int64_t root) const {
  const int to = checked_root(Kind::kGatherBase, root);
  if (me_ == to) check_ratio("gather_into_tensor", output, input, size_);
  Exchange made = make(Kind::kGatherBase, {input}, me_ == to ? Tensors{output} : Tensors{});
  made.part.root = to;
  made.part.sends = with_root_alone(to, input.numel());
  made.part.receives = me_ == to ? Chunks::even(input.numel()) : with_root_alone(to, 0);
  return made;
}

Exchange Collectives::scatter(const Tensors& outputs, const std::vector<Tensors>& inputs,
                              int64_t root) const {
  const at::Tensor& output = only("scatter", outputs);
  const int from = checked_root(Kind::kScatter, root);
  TORCH_CHECK(me_ == from || inputs.empty(), "sim: scatter takes inputs at its root alone");
  Exchange made =
      make(Kind::kScatter, me_ == from ? only_list("scatter", inputs, size_) : Tensors{}, {output});
  made.part.root = from;
  made.part.sends = me_ == from ? chunks_of(made.inputs) : with_root_alone(from, 0);
  made.part.receives = with_root_alone(from, output.numel());
  return made;
}

void Collectives::set_reduction(Contribution& part, Reduction reduction) const {
  part.reduction = reduction;
  const char* why = why_unsupported(reduction, part.dtype);
  TORCH_CHECK(why == nullptr, "sim: ", name_of(part.kind), " with ", name_of(reduction), " of ",
              part.dtype, " is not supported: ", why);
}

int Collectives::checked_root(Kind kind, int64_t root) const {
  check_peer(name_of(kind), root, size_);
  return static_cast<int>(root);
}

Chunks Collectives::with_root_alone(int root, int64_t count) const {
  std::vector<int64_t> counts(size_, 0);
  counts[root] = count;
  return Chunks::uneven(std::move(counts));
}

bool aliased(const Exchange& exchange, int me) {
  if (exchange.inputs.empty() || exchange.outputs.empty()) return false;
  for (const at::Tensor& input : exchange.inputs) {
    if (any_overlap(input, exchange.outputs)) return !in_place(exchange, me);
  }
  return false;
}

}  // namespace attncheck::sim
