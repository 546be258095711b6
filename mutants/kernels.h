#pragma once

#include "impl/contract/backend.h"

namespace attncheck {

// Right kernels that return their log-sum-exp in the forms that real ones do, whatever the release
// of LibTorch: the arithmetic is that of the math backend.
Backend three_axis_kernel();  // (B, H, S), as flash's
Backend four_axis_kernel();   // (B, H, S, 1), as cuDNN's from LibTorch 2.9 on

// Base 2, which its contract does not say. Its own backward takes base 2 again.
Backend base_two_kernel();
// Natural, and its contract says base 2: converted by the kernel's caller, and again by the
// contract. Its own backward takes back what it was given.
Backend natural_kernel_called_base_two();

}  // namespace attncheck
