#pragma once

#include <string>
#include <vector>

#include "impl/contract/backend.h"

namespace attncheck {

// An ordered list of backends, of which the first that supports a problem computes it.
//
//   const Dispatcher dispatcher("mine", {flash_cpu_backend(), math_backend()});
//   options.backend = &mine;  // Backend mine = dispatcher.backend();
//   dispatcher.chosen(problem)->name;  // "flash_cpu"
class Dispatcher {
 public:
  // Throws for an empty list and for a name that is there twice.
  Dispatcher(std::string name, std::vector<Backend> in_order);

  const std::vector<Backend>& candidates() const { return candidates_; }

  // The candidate that computes the problem; nullptr when none supports it.
  const Backend* chosen(const Problem& problem) const;
  // No: why each of the candidates does not, by name.
  Support supports(const Problem& problem) const;

  // The same with one candidate alone, so that nothing else can be chosen. Throws for a name that
  // is not there, with those that are.
  Dispatcher only(const std::string& name) const;

  // As a backend. It chooses for each block that it is given, in forward and backward alike, from
  // sizes, dtype, scale, the kind of mask and whether a diagonal hides anything. Its log-sum-exp is
  // in the project's form already; it returns one if all candidates do.
  Backend backend() const;

 private:
  std::string name_;
  std::vector<Backend> candidates_;
};

// "auto": flash_cpu where it can, math else.
Dispatcher auto_dispatcher();

}  // namespace attncheck
