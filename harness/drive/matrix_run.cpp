#include "harness/drive/matrix_run.h"

#include <chrono>
#include <utility>

#include "harness/drive/check_report.h"
#include "harness/drive/drawing_desk.h"
#include "harness/drive/mutant_cases.h"

namespace attncheck {
namespace {

using Kind = Verdict::Kind;

// One mutant's row, made in one lane.
class RowRun {
 public:
  RowRun(const Mutant& mutant, const PropertyList& properties, LaneLab& lane, DrawingDesk& desk,
         const MatrixOptions& options);
  MatrixRow run();

 private:
  void run_seed(uint64_t seed);
  bool any_open(bool of_refusals) const;
  void judge_case(const Case& c, bool about_refusals, std::optional<int64_t> cases);
  // Without cases: the listed one.
  void enter(size_t i, const Verdict& verdict, std::optional<int64_t> cases);
  void try_listed();

  const Mutant& mutant_;
  const PropertyList& properties_;
  LaneLab& lane_;
  DrawingDesk& desk_;
  const MatrixOptions& options_;
  MatrixRow row_;
  std::vector<bool> speaks_, open_;  // by property
  int64_t lost_cases_ = 0;           // of a seed
};

RowRun::RowRun(const Mutant& mutant, const PropertyList& properties, LaneLab& lane,
               DrawingDesk& desk, const MatrixOptions& options)
    : mutant_(mutant), properties_(properties), lane_(lane), desk_(desk), options_(options) {
  row_.name = mutant.name;
  row_.source = mutant.source;
  row_.property = mutant.property;
  row_.equivalent = mutant.equivalent;
  const SubjectKind kind = lane.lab->kind(mutant.smallest);
  for (const Property* property : properties) {
    speaks_.push_back(property->subjects.count(kind) > 0);
    MatrixPair pair;
    pair.property = property->name;
    pair.reason = speaks_.back() ? "no case was drawn" : "it does not speak of such a subject";
    row_.pairs.push_back(std::move(pair));
  }
}

bool RowRun::any_open(bool of_refusals) const {
  for (size_t i = 0; i < properties_.size(); ++i) {
    if (open_[i] && properties_[i]->about_refusals == of_refusals) return true;
  }
  return false;
}

// What says more of the mutant: that it failed, that it held, that it could not be judged.
int weight(Kind kind) {
  switch (kind) {
    case Kind::fail:
      return 3;
    case Kind::pass:
      return 2;
    case Kind::not_run:
      return 1;
    case Kind::unsupported:
      return 0;
  }
  return 0;
}

void RowRun::enter(size_t i, const Verdict& verdict, std::optional<int64_t> cases) {
  MatrixPair& pair = row_.pairs[i];
  const bool judged = weight(verdict.kind) >= weight(Kind::pass);
  pair.judged += judged ? 1 : 0;
  if (verdict.failed()) {
    open_[i] = false;
    pair.by_listed = !cases;
    if (cases) pair.caught.back() = cases;
  }
  if (weight(verdict.kind) < weight(pair.verdict)) return;
  pair.verdict = verdict.kind;
  pair.reason = judged ? "" : verdict.reason;
}

void RowRun::judge_case(const Case& c, bool about_refusals, std::optional<int64_t> cases) {
  lane_.forget();
  WatchedLab watched(*lane_.lab, c);
  for (size_t i = 0; i < properties_.size(); ++i) {
    if (!open_[i] || properties_[i]->about_refusals != about_refusals) continue;
    enter(i, judge_watched(*properties_[i], c, watched).verdict, cases);
  }
  lane_.forget();
  lost_cases_ += watched.lost_a_rank() ? 1 : 0;
}

void RowRun::run_seed(uint64_t seed) {
  for (MatrixPair& pair : row_.pairs) pair.caught.emplace_back();
  open_ = speaks_;
  lost_cases_ = 0;
  MutantCases cases(mutant_, mutant_.smallest, seed, lane_, desk_);
  for (int64_t drawn = 1; drawn <= options_.cases && lost_cases_ < kMostLostCases; ++drawn) {
    std::optional<Case> c, refused;
    if (any_open(false)) c = cases.next();
    if (any_open(true)) refused = cases.next_refused();
    if (!c && !refused) return;
    ++row_.cases;
    if (c) judge_case(*c, false, drawn);
    if (refused) judge_case(*refused, true, drawn);
    options_.progress({mutant_.name, "cases", drawn, options_.cases});
  }
}

// By the properties that drawn cases made fail on too few seeds.
void RowRun::try_listed() {
  for (size_t i = 0; i < properties_.size(); ++i) {
    open_[i] = speaks_[i] && !row_.pairs[i].kills();
  }
  for (const bool about_refusals : {false, true}) {
    if (any_open(about_refusals)) judge_case(mutant_.smallest, about_refusals, std::nullopt);
  }
}

MatrixRow RowRun::run() {
  const auto start = Clock::now();
  const int64_t runs = lane_.runs();
  for (int i = 0; i < options_.seeds; ++i) run_seed(options_.seed + static_cast<uint64_t>(i));
  try_listed();
  row_.runs = lane_.runs() - runs;
  row_.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return std::move(row_);
}

}  // namespace

std::vector<MatrixRow> matrix_rows(const std::vector<const Mutant*>& mutants,
                                   const PropertyList& properties, Lanes& lanes,
                                   const MatrixOptions& options) {
  DrawingDesk desk;
  std::vector<MatrixRow> rows(mutants.size());
  std::vector<Lanes::Job> jobs;
  for (size_t i = 0; i < mutants.size(); ++i) {
    jobs.push_back([&, i](LaneLab& lane) {
      rows[i] = RowRun(*mutants[i], properties, lane, desk, options).run();
    });
  }
  desk.run_jobs(lanes, jobs);
  return rows;
}

}  // namespace attncheck
