#pragma once

#include <string>
#include <vector>

#include "cudnn_probe/cudnn_probe.h"
#include "problem/problem.h"

namespace attncheck::cli {

// One problem of the surface, what cuDNN answers, and what the rules of the backend `cudnn` say.
struct SurfacePoint {
  int sm = 0;
  std::string feature;  // "causal"
  Problem problem;
  CudnnAnswer answer;
  Support forward_rule, backward_rule;  // cudnn_takes_forward, cudnn_takes_backward
  bool supported = false;               // cudnn_support: the two and LibTorch's own

  // Releases of cuDNN differ: the rules are those of 9.19, where a test holds them to its answers.
  bool rules_agree() const;
  // The backend supports what this cuDNN refuses: a fault, whatever the release.
  bool promised_too_much() const;
};

struct CudnnSurface {
  std::string version, libtorch, cudnn;
  std::vector<int> devices;
  std::vector<SurfacePoint> points;

  // 1 where the backend promises too much, else 0.
  int exit_code() const;
};

// Asks about every device, dtype, head_dim and feature that the table has.
std::vector<SurfacePoint> ask_surface(const std::vector<int>& devices);

// A table for each device: a row for each dtype and head_dim, a column for each feature. Below them
// the shapes of Stats, why problems are refused, and where rules and answers differ.
std::string surface_text(const CudnnSurface& surface);
std::string surface_json(const CudnnSurface& surface);

}  // namespace attncheck::cli
