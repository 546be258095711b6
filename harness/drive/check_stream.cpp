#include "harness/drive/check_stream.h"

#include <algorithm>
#include <deque>
#include <utility>

#include "harness/drive/case_task.h"
#include "harness/drive/steering.h"
#include "harness/drive/stream_ledger.h"
#include "harness/run_lab.h"
#include "harness/what_was_thrown.h"

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
  void go_through();
  void break_off();
  void post_remembered();
  void post_next();
  void post(Origin origin, const Case& c, std::vector<size_t> judges);
  void repost();
  void take_first();
  void steer_by(const Case& c, const CaseOutcome& outcome);
  void tell(const CaseUnderWay& taken);
  Shrunk shrink_in_lane(size_t property, const Case& c, const Verdict& verdict,
                        const ShrinkWish& wish);
  std::vector<size_t> open_judges(bool of_refusals) const;
  bool open(size_t i) const { return report_.results[i].verdict != Verdict::Kind::fail; }
  bool any_open() const;
  bool may_draw();

  std::optional<CaseStream> stream_;  // once the subject was asked what it does
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
    : properties_(speaking_of(spec.kind, properties)),
      steering_(options.steer, calls_of(spec.dtype, properties_, options.closest)),
      lanes_(lanes),
      options_(options),
      ledger_(report_, options,
              [this](size_t property, const Case& c, const Verdict& verdict, const auto& wish) {
                return shrink_in_lane(property, c, verdict, wish);
              }) {
  report_.spec = spec;
  report_.asked = options_.cases;
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
  std::optional<bool> supported;
  if (origin != Origin::remembered) supported = origin == Origin::drawn;
  under_way_.push_back({origin, CaseInLane({c, std::move(judges), supported}, properties_, lanes_),
                        stream_->counts(), stream_->cell_counts()});
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
  std::optional<Case> c = stream_->next_near(steering_.near(drawn_));
  if (!c) c = stream_->next();
  exhausted_ = !c;
  if (!c) return;
  const std::vector<size_t> about_refusals = open_judges(true);
  if (drawn_++ % kCasesPerRefusal == 0 && !about_refusals.empty()) {
    const std::optional<Case> refused = stream_->next_refused();
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
                                   const ShrinkWish& wish) {
  for (CaseUnderWay& behind : under_way_) behind.work.cancel();
  cancelled_ = true;
  Shrunk shrunk{c, verdict};
  lanes_.run([&](LaneLab& lane) {
    const int64_t before = lane.runs();
    shrunk = shrink_failure(*properties_[property], c, verdict, lane, options_, wish);
    report_.runs += lane.runs() - before;
  });
  return shrunk;
}

void StreamCheck::go_through() {
  stream_.emplace(
      report_.spec, [this](const Case& c) { return lanes_.lab().supports(c); }, options_.seed);
  report_.meshes = stream_->meshes();
  post_remembered();
  while (true) {
    const size_t ahead = lanes_.count() == 1 ? 1 : kCasesAheadByLane * lanes_.count();
    while (under_way_.size() < ahead && steering_.ready(drawn_) && may_draw()) post_next();
    if (under_way_.empty()) break;
    take_first();
    if (!any_open()) under_way_.clear();
  }
  if (any_open()) report_.empty_cells = stream_->empty_cells();
}

// What was found so far stays; who judged nothing yet says why. Call it in a handler.
void StreamCheck::break_off() {
  under_way_.clear();
  report_.broken = in_one_line(what_was_thrown());
  for (PropertyResult& result : report_.results) {
    if (result.cases > 0 || result.verdict != Verdict::Kind::unsupported) continue;
    result.verdict = Verdict::Kind::not_run;
    result.reason = report_.broken;
  }
}

StreamReport StreamCheck::run() {
  const auto start = Clock::now();
  try {
    go_through();
  } catch (const NoRanks&) {
    break_off();
    report_.no_ranks = true;
  } catch (...) {
    break_off();
  }
  report_.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return std::move(report_);
}

}  // namespace

bool tries(const StreamSpec& spec, const PropertyList& properties,
           const RememberedCase& remembered) {
  const PropertyList speaking = speaking_of(spec.kind, properties);
  return is_about(spec, remembered.case_) &&
         std::any_of(speaking.begin(), speaking.end(),
                     [&](const Property* p) { return p->name == remembered.property; });
}

StreamReport check_stream(const StreamSpec& spec, const PropertyList& properties, Lanes& lanes,
                          const CheckOptions& options) {
  return StreamCheck(spec, properties, lanes, options).run();
}

}  // namespace attncheck
