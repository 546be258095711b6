#include "properties/verdict.h"

#include <cmath>
#include <utility>

#include "problem/words.h"

namespace attncheck {
namespace {

constexpr Words<Verdict::Kind, 4> kVerdictWords{{"pass", "fail", "unsupported", "not_run"}};

int severity(Verdict::Kind kind) {
  switch (kind) {
    case Verdict::Kind::fail:
      return 3;
    case Verdict::Kind::not_run:
      return 2;
    case Verdict::Kind::pass:
      return 1;
    case Verdict::Kind::unsupported:
      return 0;
  }
  return 0;
}

}  // namespace

Verdict Verdict::fail(std::string message) {
  Evidence evidence;
  evidence.message = std::move(message);
  return fail(std::move(evidence));
}

double Verdict::share_of_bound() const {
  if (!evidence || evidence->error == 0) return 0;
  return evidence->bound > 0 ? evidence->error / evidence->bound : HUGE_VAL;
}

const char* to_text(Verdict::Kind kind) {
  return kVerdictWords.of(kind);
}

Verdict worse(Verdict a, Verdict b) {
  if (a.kind != b.kind) return severity(a.kind) > severity(b.kind) ? a : b;
  if (a.kind == Verdict::Kind::fail) return a;
  return b.share_of_bound() > a.share_of_bound() || !a.evidence ? b : a;
}

}  // namespace attncheck
