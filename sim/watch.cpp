#include "sim/watch.h"

#include <memory>
#include <string>
#include <string_view>

#include <ATen/core/function_schema.h>
#include <ATen/core/ivalue.h>

#include "sim/mesh.h"

namespace attncheck::sim {

namespace {

enum class Access { kNone, kRead, kWrite };

// Operators that look at no element of their tensors though their schemas do not say so: what they
// ask for is a size or a dtype, or they return a view. Where they copy after all, the operator that
// they call to copy is seen. Others are those that end in _like, or begin with new_, sym_ or is_.
constexpr std::string_view kTouchNothing =
    " _unsafe_view _version as_strided_ can_cast data detach_ dim expand_as numel output_nr "
    "record_stream requires_grad_ reshape_as resize_as_ result_type retain_grad retains_grad "
    "set_data size squeeze_ storage_offset stride swapaxes_ swapdims_ t_ to transpose_ type_as "
    "unsafe_chunk unsafe_split unsafe_split_with_sizes unsqueeze_ view_as ";

bool touches_no_element(std::string_view name) {
  constexpr std::string_view kOfAten = "aten::";
  if (!name.starts_with(kOfAten)) return false;
  name.remove_prefix(kOfAten.size());
  if (name == "is_nonzero") return false;
  if (name.ends_with("_like") || name.starts_with("new_") || name.starts_with("sym_") ||
      name.starts_with("is_")) {
    return true;
  }
  return kTouchNothing.find(" " + std::string(name) + " ") != std::string_view::npos;
}

bool is_exchange(std::string_view name) {
  return name.starts_with("c10d::") || name.starts_with("_c10d_functional");
}

// What the operator does with its argument of that index. Something without a schema is no
// operator.
Access access_of(const at::RecordFunction& call, size_t index) {
  if (touches_no_element(call.name())) return Access::kNone;
  const auto schema = call.operator_schema();
  if (!schema || index >= schema->arguments().size()) return Access::kNone;
  const c10::AliasInfo* alias = schema->arguments()[index].alias_info();
  if (alias == nullptr) return Access::kRead;
  return alias->isWrite() ? Access::kWrite : Access::kNone;
}

template <typename Body>
void for_each_tensor(const c10::IValue& value, const Body& body) {
  if (value.isTensor()) return body(value.toTensor());
  if (!value.isTensorList() && !value.isOptionalTensorList()) return;
  for (const c10::IValue& item : value.toListRef()) {
    if (item.isTensor()) body(item.toTensor());
  }
}

std::unique_ptr<at::ObserverContext> look(const at::RecordFunction& call) {
  const CurrentRank& current = current_rank();
  if (current.mesh == nullptr) return nullptr;
  Flights& flights = current.mesh->in_flight[current.rank];
  if (flights.empty() || is_exchange(call.name())) return nullptr;
  const auto inputs = call.inputs();
  for (size_t i = 0; i < inputs.size(); ++i) {
    for_each_tensor(inputs[i], [&](const at::Tensor& tensor) {
      if (!flights.touched_by(tensor)) return;
      const Access access = access_of(call, i);
      if (access == Access::kNone) return;
      flights.use(tensor, access == Access::kWrite, call.name());
    });
  }
  return nullptr;
}

}  // namespace

Watch::Watch(bool on) {
  if (!on) return;
  handle_ = at::addThreadLocalCallback(
      at::RecordFunctionCallback(look).needsInputs(true).scopes({at::RecordScope::FUNCTION}));
}

Watch::~Watch() {
  if (handle_ != at::INVALID_CALLBACK_HANDLE) at::removeCallback(handle_);
}

}  // namespace attncheck::sim
