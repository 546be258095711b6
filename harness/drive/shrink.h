#pragma once

#include <chrono>
#include <functional>
#include <optional>

#include "problem/case.h"
#include "properties/verdict.h"

namespace attncheck {

// Judges a smaller case; the verdict where the same property still fails, nothing otherwise.
using StillFails = std::function<std::optional<Verdict>(const Case&)>;

struct ShrinkLimits {
  int tries = 2000;
  std::chrono::duration<double> time{20};
};

struct Shrunk {
  Case case_;
  Verdict verdict;  // of that case
  int tries = 0;
  bool finished = true;  // false: a limit was reached before the smallest case
};

// Whether the failure of a smaller case can be the one that is being shrunk. A wrong value, by
// whatever it is off, may not end as an error that rounding could have made: that is another fault.
bool may_be_the_same(const Verdict& failing, const Verdict& smaller);

// Follows RapidCheck's tree of smaller cases as long as one still fails, from a leap where there is
// one and the failure is no wrong value: a throw, a crash, a wrong shape.
Shrunk shrink(const Case& failing, const Verdict& verdict, const StillFails& still_fails,
              const ShrinkLimits& limits = {});

}  // namespace attncheck
