#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>

#include "harness/drive/case_stream.h"
#include "harness/drive/drawing_desk.h"
#include "harness/drive/lanes.h"
#include "impl/contract/mutant.h"

namespace attncheck {

// The cases of a mutant as a lane asks for them, on the backend, transport and dtype of `listed`
// and on meshes of up to 4 ranks beside its own. Drawn at the desk, a few at a time. The same for
// the same mutant, listed case and seed.
class MutantCases {
 public:
  // The lane's lab says what the mutant supports. All must outlive the cases.
  MutantCases(const Mutant& mutant, const Case& listed, uint64_t seed, LaneLab& lane,
              DrawingDesk& desk);

  // nullopt when there is no further one.
  std::optional<Case> next();
  // The next case that the mutant refuses.
  std::optional<Case> next_refused();

 private:
  using Draw = std::optional<Case> (CaseStream::*)();

  std::optional<Case> take(std::deque<std::optional<Case>>& drawn, Draw draw);

  DrawingDesk& desk_;
  std::unique_ptr<CaseStream> stream_;
  std::deque<std::optional<Case>> drawn_, refused_;
};

}  // namespace attncheck
