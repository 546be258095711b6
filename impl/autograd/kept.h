#pragma once

#include <utility>

#include <ATen/core/ivalue.h>

namespace attncheck {

// A C++ value in an IValue, so that an autograd context can hold it.
template <typename T>
struct Kept : torch::CustomClassHolder {
  explicit Kept(T kept) : value(std::move(kept)) {}
  T value;
};

template <typename T>
c10::IValue keep_value(T value) {
  return c10::IValue::make_capsule(c10::make_intrusive<Kept<T>>(std::move(value)));
}

// The value that keep_value<T> put there.
template <typename T>
T& kept_value(const c10::IValue& kept) {
  return static_cast<Kept<T>*>(kept.toCapsule().get())->value;
}

}  // namespace attncheck
