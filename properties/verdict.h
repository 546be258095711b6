#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace attncheck {

// Where and by how much a property was violated.
struct Evidence {
  std::string tensor;  // "out", "dk", ...
  double error = 0, bound = 0;
  int rank = -1;               // the rank that returned it
  int shard = -1;              // the shard of the sequence that it belongs to
  std::vector<int64_t> index;  // in that rank's tensor, (b, s, h, d) or (b, s, h)
  std::string expected, got;
  std::string message;  // one sentence, complete by itself
};

struct Verdict {
  enum class Kind { pass, fail, unsupported, not_run };
  Kind kind = Kind::pass;
  std::string reason;  // of unsupported and not_run
  // Of fail; of pass: the closest call, when there was something to measure.
  std::optional<Evidence> evidence;

  static Verdict pass() { return {}; }
  static Verdict pass(Evidence closest) { return {Kind::pass, "", std::move(closest)}; }
  static Verdict fail(Evidence evidence) { return {Kind::fail, "", std::move(evidence)}; }
  static Verdict fail(std::string message);  // evidence with a message alone
  static Verdict unsupported(std::string reason) {
    return {Kind::unsupported, std::move(reason), {}};
  }
  static Verdict not_run(std::string reason) { return {Kind::not_run, std::move(reason), {}}; }

  bool failed() const { return kind == Kind::fail; }
  // error / bound of the evidence; 0 without.
  double share_of_bound() const;
};

const char* to_text(Verdict::Kind kind);  // "pass", "fail", "unsupported", "not_run"

// The worse of two judgements of one property: fail before not_run before pass; of two of one kind,
// the one with the larger share of its bound.
Verdict worse(Verdict a, Verdict b);

}  // namespace attncheck
