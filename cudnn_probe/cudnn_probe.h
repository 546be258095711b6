#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "impl/contract/support.h"
#include "problem/problem.h"

namespace attncheck {

// What cuDNN answers about one direction of a problem.
struct CudnnPass {
  Support support;     // no: in cuDNN's words, and at which of its steps
  std::string engine;  // the first engine that its heuristics offer, with its knobs: "eng9_k24=7"
};

struct CudnnAnswer {
  CudnnPass forward, backward;
  // The shape of Stats (the log-sum-exp) that cuDNN infers: (B, H, Sq, 1). Empty where it refuses
  // the forward before that.
  std::vector<int64_t> stats_shape;
};

// cuDNN itself, asked about a GPU that need not be there: it takes the properties of a device as
// text (cuDNN 9.8 and later) and then tells which graphs it supports and by which engine. Nothing
// is compiled and nothing runs. Not for several threads at once.

// Whether it can be asked: that this build has the probe and that the machine has the library, and
// why not. The first call opens cuDNN; nothing of it is linked.
Support cudnn_here();

// "9.19.0", of the library that was opened; empty where there is none.
std::string cudnn_version();

// The devices that can be asked about, by SM version: 90 is SM 9.0. In order.
std::vector<int> cudnn_devices();

// What cuDNN says about a block's problem on a device of that SM version, asked as LibTorch's
// operators ask it: the graph has q, k and v as (B, H, S, D) in memory of (B, S, H, D), a scale
// and a bias where something is hidden that the causal diagonal from the first key is not; Stats
// is asked for. An error of cuDNN is an answer, no.
// Throws std::invalid_argument for an SM version that is not among cudnn_devices(), and
// std::runtime_error where cudnn_here() says no.
CudnnAnswer ask_cudnn(const Problem& block, int sm);

}  // namespace attncheck
