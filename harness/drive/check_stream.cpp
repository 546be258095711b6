#include "harness/drive/check_stream.h"

#include <algorithm>
#include <deque>
#include <utility>

#include "harness/drive/case_task.h"
#include "harness/drive/steering.h"
#include "harness/drive/stream_ledger.h"
#include "problem/case_text.h"

namespace attncheck {
namespace {

constexpr size_t kCasesAheadByLane = 3;

enum class Origin { remembered, drawn, refused };

// A case that a lane works on, and what the stream's counts were once it was drawn.
struct CaseUnderWay {
  Origin origin;
  CaseInLane work;
  DrawCounts draws;
  std::map<std::string, int64_t> cells;
};

class StreamCheck {
 public:
  StreamCheck(const StreamSpec& spec, const PropertyList& properties, Lanes& lanes,
              const CheckOptions& options);
  StreamReport run();

 private:
  void post_remembered();
  void post_next();
  void post(Origin origin, const Case& c, std::vector<size_t> judges);
  void repost();
  void take_first();
  void steer_by(const Case& c, const CaseOutcome& outcome);
  void tell(const CaseUnderWay& taken);
  Shrunk shrink_in_lane(size_t property, const Case& c, const Verdict& verdict,
                        const std::function<bool(const Case&)>& wanted);
  std::vector<size_t> open_judges(bool of_refusals) const;
  bool open(size_t i) const { return report_.results[i].verdict != Verdict::Kind::fail; }
  bool any_open() const;
  bool may_draw();

  CaseStream stream_;
  PropertyList properties_;
  Steering steering_;
  Lanes& lanes_;
  const CheckOptions& options_;
  StreamReport report_;
  StreamLedger ledger_;
  std::deque<CaseUnderWay> under_way_;
  int64_t drawn_ = 0;
  bool exhausted_ = false;
  bool cancelled_ = false;  // the cases under way, for a failure to be shrunk
};

// Those that say something about a stream of that dtype.
std::vector<CloseCall> calls_of(DType dtype, const PropertyList& properties,
                                std::vector<CloseCall> calls) {
  std::erase_if(calls, [&](const CloseCall& call) {
    const bool judges = std::any_of(properties.begin(), properties.end(),
                                    [&](const Property* p) { return p->name == call.property; });
    return !judges || call.case_.problem.dtype != dtype;
  });
  return calls;
}

StreamCheck::StreamCheck(const StreamSpec& spec, const PropertyList& properties, Lanes& lanes,
                         const CheckOptions& options)
    : stream_(
          spec, [&lanes](const Case& c) { return lanes.lab().supports(c); }, options.seed),
      properties_(speaking_of(spec.kind, properties)),
      steering_(options.steer, calls_of(spec.dtype, properties_, options.closest)),
      lanes_(lanes),
      options_(options),
      ledger_(report_, options,
              [this](size_t property, const Case& c, const Verdict& verdict, const auto& wanted) {
                return shrink_in_lane(property, c, verdict, wanted);
              }) {
  report_.spec = spec;
  report_.asked = options_.cases;
  report_.meshes = stream_.meshes();
  for (const Property* property : properties_) {
    PropertyResult result;
    result.property = property->name;
    result.explains = property->explains;
    result.replay_program = options_.replay_program;
    result.replay_flags = options_.replay_flags;
    report_.results.push_back(std::move(result));
  }
}

// A property that failed judges no more of this stream.
std::vector<size_t> StreamCheck::open_judges(bool of_refusals) const {
  std::vector<size_t> judges;
  for (size_t i = 0; i < properties_.size(); ++i) {
    if (open(i) && properties_[i]->about_refusals == of_refusals) judges.push_back(i);
  }
  return judges;
}

bool StreamCheck::any_open() const {
  return std::any_of(report_.results.begin(), report_.results.end(),
                     [](const PropertyResult& r) { return r.verdict != Verdict::Kind::fail; });
}

bool StreamCheck::may_draw() {
  if (exhausted_ || drawn_ >= options_.cases || !any_open()) return false;
  if (report_.lost_cases >= kMostLostCases) return false;
  report_.out_of_time = Clock::now() > options_.deadline;
  return !report_.out_of_time;
}

void StreamCheck::post(Origin origin, const Case& c, std::vector<size_t> judges) {
  under_way_.push_back({origin, CaseInLane({c, std::move(judges)}, properties_, lanes_),
                        stream_.counts(), stream_.cell_counts()});
}

bool is_about(const StreamSpec& spec, const Case& c) {
  return c.impl == spec.impl && (!needs_backend(spec.kind) || c.backend == spec.backend) &&
         c.transport == spec.transport && c.problem.dtype == spec.dtype &&
         std::any_of(spec.meshes.begin(), spec.meshes.end(), [&](const Mesh& mesh) {
           return mesh.ring == c.mesh.ring && mesh.ulysses == c.mesh.ulysses;
         });
}

void StreamCheck::post_remembered() {
  for (const RememberedCase& remembered : options_.remembered) {
    if (!is_about(report_.spec, remembered.case_)) continue;
    for (size_t i = 0; i < properties_.size(); ++i) {
      if (properties_[i]->name != remembered.property) continue;
      post(Origin::remembered, remembered.case_, {i});
    }
  }
}

void StreamCheck::post_next() {
  std::optional<Case> c = stream_.next_near(steering_.near(drawn_));
  if (!c) c = stream_.next();
  exhausted_ = !c;
  if (!c) return;
  const std::vector<size_t> about_refusals = open_judges(true);
  if (drawn_++ % kCasesPerRefusal == 0 && !about_refusals.empty()) {
    const std::optional<Case> refused = stream_.next_refused();
    if (refused) post(Origin::refused, *refused, about_refusals);
  }
  post(Origin::drawn, *c, open_judges(false));
}

// A failure may have changed who judges: the cases behind it are judged anew, so that the report
// does not depend on how far the lanes had come.
void StreamCheck::repost() {
  for (CaseUnderWay& behind : under_way_) {
    CaseTask task = behind.work.task();
    behind.work.outcome();
    std::erase_if(task.judges, [this](size_t i) { return !open(i); });
    behind.work = CaseInLane(std::move(task), properties_, lanes_);
  }
}

void StreamCheck::tell(const CaseUnderWay& taken) {
  if (taken.origin == Origin::remembered) {
    ++report_.remembered;
    return;
  }
  report_.draws = taken.draws;
  report_.cells = taken.cells;
  if (taken.origin == Origin::refused) {
    if (!taken.work.task().judges.empty()) ++report_.refused_cases;
    return;
  }
  ++report_.cases;
  options_.progress({stream_name(report_.spec), "cases", report_.cases, options_.cases});
}

void add_figures(const RunFigures& figures, StreamReport& report) {
  if (figures.received_bytes) {
    report.received_bytes = report.received_bytes.value_or(0) + *figures.received_bytes;
  }
  report.peak_bytes = std::max(report.peak_bytes, figures.peak_bytes);
}

void StreamCheck::steer_by(const Case& c, const CaseOutcome& outcome) {
  std::vector<CloseCall> calls;
  for (const Judged& judged : outcome.judged) {
    if (judged.verdict.kind != Verdict::Kind::pass) continue;
    calls.push_back({properties_[judged.property]->name, judged.verdict.share_of_bound(), c});
  }
  steering_.enter(calls);
}

void StreamCheck::take_first() {
  CaseUnderWay first = std::move(under_way_.front());
  under_way_.pop_front();
  const CaseOutcome outcome = first.work.outcome();
  report_.runs += outcome.runs;
  report_.lost_cases += outcome.lost_a_rank ? 1 : 0;
  if (first.origin == Origin::drawn) {
    add_figures(outcome.figures, report_);
    steer_by(first.work.task().case_, outcome);
  }
  for (const Judged& judged : outcome.judged) ledger_.enter(first.work.task().case_, judged);
  tell(first);
  if (std::exchange(cancelled_, false)) repost();
}

Shrunk StreamCheck::shrink_in_lane(size_t property, const Case& c, const Verdict& verdict,
                                   const std::function<bool(const Case&)>& wanted) {
  for (CaseUnderWay& behind : under_way_) behind.work.cancel();
  cancelled_ = true;
  Shrunk shrunk{c, verdict};
  lanes_.run([&](LaneLab& lane) {
    const int64_t before = lane.runs();
    shrunk = shrink_failure(*properties_[property], c, verdict, lane, options_, wanted);
    report_.runs += lane.runs() - before;
  });
  return shrunk;
}

StreamReport StreamCheck::run() {
  const auto start = Clock::now();
  post_remembered();
  while (true) {
    const size_t ahead = lanes_.count() == 1 ? 1 : kCasesAheadByLane * lanes_.count();
    while (under_way_.size() < ahead && steering_.ready(drawn_) && may_draw()) post_next();
    if (under_way_.empty()) break;
    take_first();
    if (!any_open()) under_way_.clear();
  }
  if (any_open()) report_.empty_cells = stream_.empty_cells();
  report_.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return std::move(report_);
}

}  // namespace

namespace {

// What was shrunk in haste is judged once more at leisure.
Shrunk confirmed(const Property& property, const Case& failing, const Verdict& verdict,
                 LaneLab& lane, Shrunk shrunk) {
  if (shrunk.case_ == failing) return shrunk;
  lane.forget();
  Verdict again = judge(property, shrunk.case_, *lane.lab);
  if (!again.failed()) return {failing, verdict, shrunk.tries, false};
  shrunk.verdict = std::move(again);
  return shrunk;
}

}  // namespace

StreamReport check_stream(const StreamSpec& spec, const PropertyList& properties, Lanes& lanes,
                          const CheckOptions& options) {
  return StreamCheck(spec, properties, lanes, options).run();
}

Shrunk shrink_failure(const Property& property, const Case& failing, const Verdict& verdict,
                      LaneLab& lane, const CheckOptions& options,
                      const std::function<bool(const Case&)>& wanted) {
  int64_t tries = 0;
  const StillFails still_fails = [&](const Case& c) -> std::optional<Verdict> {
    if (!wanted(c)) return std::nullopt;
    options.progress(
        {to_text(failing), "shrinking " + property.name, ++tries, options.shrink.tries});
    lane.forget();
    Verdict smaller = judge(property, c, *lane.lab);
    if (!smaller.failed()) return std::nullopt;
    return smaller;
  };
  lane.lab->hurry(true);
  Shrunk shrunk = shrink(failing, verdict, still_fails, options.shrink);
  const bool believed = lane.lab->hurry(false);
  return believed ? confirmed(property, failing, verdict, lane, std::move(shrunk)) : shrunk;
}

}  // namespace attncheck
