#pragma once

#include <cstdint>
#include <string>

#include "problem/mesh.h"
#include "problem/problem.h"

namespace attncheck {

// How a ring moves keys and values: gathered at once, passed to the next rank, or by all-to-all.
enum class Rotate { allgather, p2p, alltoall };

// Who of q, k and v requires grad.
struct GradSet {
  bool q = true, k = true, v = true;
  bool any() const { return q || k || v; }
  bool operator==(const GradSet&) const = default;
};

// One line of text says all of it: see case_text.h.
struct Case {
  std::string impl;  // the subject: "ring", "local", "collective:NAME", "mutant:A10", ...
  std::string backend = "math";
  std::string transport = "sim";
  Mesh mesh;
  Problem problem;
  GradSet grad;
  bool lse_cotangent = false;  // dlse=1: the log-sum-exp has a random cotangent too
  double dropout = 0.0;
  bool return_lse = true;
  bool convert_to_fp32 = true;  // fp32=1: accumulate low-precision inputs in float32
  Rotate rotate = Rotate::allgather;
  std::string schedule;  // who runs next on the simulated mesh; empty: round robin
  uint64_t seed = 0;

  bool operator==(const Case&) const = default;
};

// "mutant" for impl=mutant:A10, "" for impl=ring; and "A10", "ring".
std::string subject_kind(const Case& c);
std::string subject_name(const Case& c);

}  // namespace attncheck
