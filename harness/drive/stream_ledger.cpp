#include "harness/drive/stream_ledger.h"

#include <algorithm>

#include "problem/case_text.h"

namespace attncheck {
namespace {

using Kind = Verdict::Kind;

void enter_share(PropertyResult& result, const Case& c, const Verdict& verdict) {
  if (!verdict.evidence || verdict.evidence->bound <= 0) return;
  double& largest = result.shares[c.mesh.ring];
  largest = std::max(largest, verdict.share_of_bound());
}

}  // namespace

// The first line of the list that names the failure.
const Expectation* StreamLedger::expectation_of(const std::string& property, const Case& c) const {
  const auto found = std::find_if(options_.expectations.begin(), options_.expectations.end(),
                                  [&](const Expectation& e) { return e.matches(property, c); });
  return found == options_.expectations.end() ? nullptr : &*found;
}

// Two lines may name one failure.
void StreamLedger::count_expectations(const std::string& property, const Case& c, bool failed) {
  for (size_t i = 0; i < options_.expectations.size(); ++i) {
    if (!options_.expectations[i].matches(property, c)) continue;
    ++report_.expectations[i].judged;
    report_.expectations[i].failed += failed ? 1 : 0;
  }
}

void StreamLedger::enter_pass(PropertyResult& result, const Case& c, const Verdict& verdict) {
  if (verdict.evidence && verdict.share_of_bound() >= result.closest_call) {
    result.closest_call = verdict.share_of_bound();
    result.closest_case = c;
    result.evidence = verdict.evidence;
  }
  if (!result.unrepeatable) result.verdict = Kind::pass, result.reason.clear();
}

void StreamLedger::enter_other(PropertyResult& result, const Case& c, const Judged& judged) {
  const Verdict& verdict = judged.verdict;
  if (verdict.kind == Kind::not_run && ++result.not_run == 1) {
    result.why_not_run = verdict.reason + ", case: " + to_text(c);
  }
  if (judged.threw && ++result.throws > 1) return;  // one line is enough
  const bool counts = verdict.kind == Kind::not_run && (judged.unrepeatable || judged.threw);
  if (counts || (result.verdict != Kind::pass && result.verdict != Kind::not_run)) {
    result.verdict = verdict.kind;
    result.reason = verdict.reason;
  }
  if (counts) {
    result.reason += ", case: " + to_text(c);
    report_.incidents[result.reason].push_back(result.property);
  }
  result.unrepeatable = result.unrepeatable || counts;
}

void StreamLedger::enter_known(PropertyResult& result, const Expectation& known, const Case& c,
                               const Judged& judged) {
  const size_t position = &known - options_.expectations.data();
  const auto seen =
      std::find_if(result.known.begin(), result.known.end(),
                   [&](const KnownFailure& failure) { return failure.expectation == position; });
  if (seen != result.known.end()) {
    ++seen->cases;
    return;
  }
  ShrinkWish wish;
  wish.wanted = [&](const Case& smaller) { return known.matches(known.property, smaller); };
  const Shrunk shrunk = shrink_(judged.property, c, judged.verdict, wish);
  result.known.push_back({position, 1, shrunk.case_, shrunk.verdict.evidence});
  if (result.verdict == Kind::unsupported) result.verdict = Kind::pass, result.reason.clear();
}

// What is found must not be known: a smaller case that is would hide it.
void StreamLedger::enter_failure(PropertyResult& result, const Case& c, const Judged& judged) {
  PropertyResult found = result;
  found.verdict = Kind::fail;
  found.reason.clear();
  found.drawn = c;
  const auto tell = [&](const Case& smaller, const Verdict& verdict, bool to_end) {
    found.case_ = smaller;
    found.evidence = verdict.evidence;
    found.shrunk_to_end = to_end;
    options_.on_found(report_.spec, found);
  };
  ShrinkWish wish;
  wish.wanted = [&](const Case& smaller) {
    return expectation_of(result.property, smaller) == nullptr;
  };
  wish.smaller = [&](const Case& smaller, const Verdict& verdict) {
    tell(smaller, verdict, false);
  };
  tell(c, judged.verdict, false);
  const auto enter_found = [&] {
    result = found;
    options_.on_failure({result.property, *result.case_});
  };
  try {
    const Shrunk shrunk = shrink_(judged.property, c, judged.verdict, wish);
    tell(shrunk.case_, shrunk.verdict, shrunk.finished);
  } catch (...) {
    enter_found();  // what cannot be shrunk to the end has failed all the same
    throw;
  }
  enter_found();
}

void StreamLedger::enter(const Case& c, const Judged& judged) {
  PropertyResult& result = report_.results[judged.property];
  const Kind kind = judged.verdict.kind;
  if (kind != Kind::pass && kind != Kind::fail) return enter_other(result, c, judged);
  if (result.verdict == Kind::fail) return;
  ++result.cases;
  enter_share(result, c, judged.verdict);
  count_expectations(result.property, c, kind == Kind::fail);
  if (kind == Kind::pass) return enter_pass(result, c, judged.verdict);
  const Expectation* known = expectation_of(result.property, c);
  if (known != nullptr) return enter_known(result, *known, c, judged);
  enter_failure(result, c, judged);
}

}  // namespace attncheck
