#pragma once

#include <functional>
#include <string>
#include <vector>

#include "impl/contract/support.h"
#include "problem/case.h"

namespace attncheck {

// What one stream of drawn cases is about.
struct StreamSpec {
  std::string impl;
  std::string backend = "math";
  std::string transport = "sim";
  DType dtype = DType::f64;
  std::vector<Mesh> meshes;  // taken in turn
  bool collective = false;   // the subject is a collective: cases have tagged data
};

// "ring on math, sim, f64".
std::string stream_name(const StreamSpec& spec);

// Whether the subject supports a case, on its backend and transport.
using SupportsCase = std::function<Support(const Case&)>;

}  // namespace attncheck
