#pragma once

#include <functional>
#include <string>
#include <vector>

#include "impl/contract/support.h"
#include "problem/case.h"
#include "properties/subject_kind.h"

namespace attncheck {

// What one stream of drawn cases is about.
struct StreamSpec {
  std::string impl;
  std::string backend = "math";
  std::string transport = "sim";
  DType dtype = DType::f64;
  std::vector<Mesh> meshes;  // taken in turn
  SubjectKind kind = SubjectKind::implementation;
  bool lse = true;  // the backend returns a log-sum-exp; if not, cases have return_lse=0
  std::vector<Problem> shapes;  // cases have these sizes, in turn for each mesh; empty: drawn ones
  bool refuses_calls = false;   // what the subject does only its calls say: draws may be refused
};

// Whether such a subject runs on a backend: a collective or a merge does not.
bool needs_backend(SubjectKind kind);

// "ring on math, sim, f64".
std::string stream_name(const StreamSpec& spec);

// Whether the subject supports a case, on its backend and transport.
using SupportsCase = std::function<Support(const Case&)>;

}  // namespace attncheck
