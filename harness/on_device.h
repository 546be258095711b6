#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include "properties/inputs.h"
#include "properties/rank_result.h"

namespace attncheck {

// x on that device, with its strides, its offset and the memory around it: a view stays the view
// that it was. x itself where it is there already; undefined stays undefined.
at::Tensor on_device(const at::Tensor& x, c10::Device device);
InputTensors on_device(InputTensors inputs, c10::Device device);

// What a rank gives is judged in CPU memory. Copies each tensor; throws where the device does not
// give one back.
void bring_home(RankResult& result);
// Drops those that cannot be copied any more, after an error of the device.
void bring_home_what_can_be(RankResult& result);

}  // namespace attncheck
