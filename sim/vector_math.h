#pragma once

namespace attncheck::sim {

// Once a process, before its second computing thread: calls LibTorch's elementwise functions on one
// number, in float64 and in float32.
//
// oneMKL 2024.2, which the LibTorch of this project's wheels is built with, picks the kernel of a
// vector function at its first call; of two threads that make this call at once, one can be given
// the kernel of the lowest accuracy, for this call alone (pytorch issue 188792). Its exp in float64
// is off by 3e-9: a failure that nobody sees twice.
void settle_vector_math();

}  // namespace attncheck::sim
