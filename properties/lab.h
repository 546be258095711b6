#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "impl/contract/backend_contract.h"
#include "impl/contract/method.h"
#include "impl/contract/support.h"
#include "properties/observation.h"
#include "properties/request.h"
#include "properties/subject_kind.h"
#include "reference/bounds.h"
#include "reference/dense_attention.h"

namespace attncheck {

struct Collective;

// The whole problem of a request as the reference sees it, and what it says of it. Global tensors:
// out, dq (B, Sq, H, D), lse (B, Sq, H), dk, dv (B, Skv, Hkv, D); float64.
struct Expected {
  reference::Inputs inputs;
  at::Tensor dout, dlse;  // undefined when absent
  reference::Forward forward;
  reference::Gradients gradients;  // undefined tensors when the request runs forward alone
  reference::Bounds bounds;        // elementwise, for the case's dtype and number of merges
};

// The subject said at its call, on every rank, that the run is none that it does: nothing can be
// judged by it. what() is its reason.
class RefusedRun : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Runs requests and remembers what they gave: the properties of a case share its base run.
class Lab {
 public:
  virtual ~Lab() = default;

  // References stay valid until the lab is told to make room (between properties) or to forget
  // (between cases). Throws RefusedRun.
  virtual const Observation& observe(const Request& request) = 0;
  virtual const Expected& expected(const Request& request) = 0;

  // Whether the case's subject supports it on the case's backend and transport.
  virtual Support supports(const Case& c) = 0;
  // In haste, as while a failure is shrunk, a run that ends early is believed at once, and ranks
  // that are known to hang get a short time. Ending it returns whether that made a difference.
  virtual bool hurry(bool) { return false; }
  // A property was judged: what runs gave may be dropped where it takes much memory, and is made
  // again when it is asked for.
  virtual void make_room() {}
  // What kind of subject the case is about; of a mutant, what it is a wrong version of.
  virtual SubjectKind kind(const Case& c) = 0;
  // The contract that the case's backend declares; nullptr for an unknown backend.
  virtual const BackendContract* contract(const Case& c) = 0;
  // The collective that is the case's subject (also of a mutant); nullptr for another kind of
  // subject.
  virtual const Collective* collective(const Case& c) = 0;
  // How the case's implementation says that it works.
  virtual Method method(const Case& c) = 0;
};

}  // namespace attncheck
