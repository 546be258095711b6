#include "harness/drive/check_stream.h"

#include <algorithm>

#include "problem/case_text.h"

namespace attncheck {
namespace {

using Kind = Verdict::Kind;

class StreamCheck {
 public:
  StreamCheck(const StreamSpec& spec, const PropertyList& properties, Lab& lab,
              const CheckOptions& options);
  StreamReport run();

 private:
  void draw_and_judge();
  void draw_and_judge_refused();
  void judge_case(const Case& c, bool refused);
  void take(PropertyResult& result, const Property& property, const Case& c, Verdict verdict,
            bool unrepeatable);
  void take_failure(PropertyResult& result, const Property& property, const Case& c,
                    const Verdict& verdict);
  bool open(size_t i, bool refused) const;
  bool any_open() const;

  CaseStream stream_;
  PropertyList properties_;
  Lab& lab_;
  const CheckOptions& options_;
  StreamReport report_;
};

SubjectKind kind_of(const StreamSpec& spec) {
  if (spec.collective) return SubjectKind::collective;
  return spec.impl == "local" ? SubjectKind::local : SubjectKind::implementation;
}

StreamCheck::StreamCheck(const StreamSpec& spec, const PropertyList& properties, Lab& lab,
                         const CheckOptions& options)
    : stream_(
          spec, [&lab](const Case& c) { return lab.supports(c); }, options.seed),
      properties_(speaking_of(kind_of(spec), properties)),
      lab_(lab),
      options_(options) {
  report_.spec = spec;
  report_.meshes = stream_.meshes();
  for (const Property* property : properties_) {
    PropertyResult result;
    result.property = property->name;
    result.explains = property->explains;
    report_.results.push_back(std::move(result));
  }
}

// A property that failed judges no more of this stream.
bool StreamCheck::open(size_t i, bool refused) const {
  return report_.results[i].verdict != Kind::fail && properties_[i]->about_refusals == refused;
}

bool StreamCheck::any_open() const {
  return std::any_of(report_.results.begin(), report_.results.end(),
                     [](const PropertyResult& r) { return r.verdict != Kind::fail; });
}

void StreamCheck::take_failure(PropertyResult& result, const Property& property, const Case& c,
                               const Verdict& verdict) {
  const Shrunk shrunk = shrink_failure(property, c, verdict, lab_, options_);
  result.verdict = Kind::fail;
  result.reason.clear();
  result.drawn = c;
  result.case_ = shrunk.case_;
  result.evidence = shrunk.verdict.evidence;
  result.shrunk_to_end = shrunk.finished;
}

void StreamCheck::take(PropertyResult& result, const Property& property, const Case& c,
                       Verdict verdict, bool unrepeatable) {
  if (verdict.kind == Kind::pass || verdict.kind == Kind::fail) ++result.cases;
  if (verdict.kind == Kind::fail) return take_failure(result, property, c, verdict);
  if (verdict.kind == Kind::pass) {
    if (verdict.evidence && verdict.share_of_bound() >= result.closest_call) {
      result.closest_call = verdict.share_of_bound();
      result.evidence = verdict.evidence;
    }
    if (!result.unrepeatable) result.verdict = Kind::pass, result.reason.clear();
    return;
  }
  if (verdict.kind == Kind::not_run) ++result.not_run;
  const bool counts = verdict.kind == Kind::not_run && unrepeatable;
  if (counts || (result.verdict != Kind::pass && result.verdict != Kind::not_run)) {
    result.verdict = verdict.kind;
    result.reason = verdict.reason;
  }
  result.unrepeatable = result.unrepeatable || counts;
}

void StreamCheck::judge_case(const Case& c, bool refused) {
  for (size_t i = 0; i < properties_.size(); ++i) {
    if (!open(i, refused)) continue;
    WatchedLab watched(lab_);
    Verdict verdict = judge(*properties_[i], c, watched);
    take(report_.results[i], *properties_[i], c, std::move(verdict), watched.saw_unrepeatable());
  }
  options_.forget();
}

void StreamCheck::draw_and_judge_refused() {
  const bool wanted =
      std::any_of(properties_.begin(), properties_.end(),
                  [](const Property* property) { return property->about_refusals; });
  if (!wanted) return;
  const std::optional<Case> c = stream_.next_refused();
  if (!c) return;
  ++report_.refused_cases;
  judge_case(*c, true);
}

void StreamCheck::draw_and_judge() {
  while (report_.cases < options_.cases && any_open()) {
    if (Clock::now() > options_.deadline) {
      report_.out_of_time = true;
      return;
    }
    const std::optional<Case> c = stream_.next();
    if (!c) return;
    if (report_.cases++ % kCasesPerRefusal == 0) draw_and_judge_refused();
    judge_case(*c, false);
    options_.progress({stream_name(report_.spec), "cases", report_.cases, options_.cases});
  }
}

StreamReport StreamCheck::run() {
  const auto start = Clock::now();
  draw_and_judge();
  report_.draws = stream_.counts();
  report_.cells = stream_.cell_counts();
  if (any_open()) report_.empty_cells = stream_.empty_cells();
  report_.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return std::move(report_);
}

}  // namespace

StreamReport check_stream(const StreamSpec& spec, const PropertyList& properties, Lab& lab,
                          const CheckOptions& options) {
  return StreamCheck(spec, properties, lab, options).run();
}

Shrunk shrink_failure(const Property& property, const Case& failing, const Verdict& verdict,
                      Lab& lab, const CheckOptions& options) {
  int64_t tries = 0;
  const StillFails still_fails = [&](const Case& c) -> std::optional<Verdict> {
    options.progress(
        {to_text(failing), "shrinking " + property.name, ++tries, options.shrink.tries});
    options.forget();
    Verdict smaller = judge(property, c, lab);
    if (!smaller.failed()) return std::nullopt;
    return smaller;
  };
  return shrink(failing, verdict, still_fails, options.shrink);
}

}  // namespace attncheck
