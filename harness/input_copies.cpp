#include "harness/input_copies.h"

namespace attncheck {

InputCopies::InputCopies(const Request& request, const InputTensors& inputs, RankResult& result)
    : wanted_(request.keep_inputs), inputs_(inputs), result_(result) {
  take("given");
}

void InputCopies::take(const std::string& when) {
  if (!wanted_) return;
  const auto copy = [&](const char* name, const at::Tensor& input) {
    if (input.defined()) result_.tensors[std::string(name) + "_" + when] = input.clone();
  };
  copy("q", inputs_.q);
  copy("k", inputs_.k);
  copy("v", inputs_.v);
  copy("dout", inputs_.dout);
  copy("dlse", inputs_.dlse);
  copy("mask", inputs_.mask);
}

}  // namespace attncheck
