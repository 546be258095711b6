#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/drive/hunt_report.h"
#include "problem/case_text.h"

namespace attncheck {
namespace {

const char* heading_of(HuntState state) {
  switch (state) {
    case HuntState::caught:
      return "caught  ";
    case HuntState::survived:
      return "SURVIVED";
    case HuntState::equivalent:
      return "equivalent";
    case HuntState::caught_where_right:
      return "CAUGHT WHERE RIGHT";
    case HuntState::not_judged:
      return "NOT JUDGED";
  }
  return "";
}

std::string fact(const char* label, const std::string& value) {
  return value.empty() ? "" : fmt::format("  {:<9}{}\n", label, value);
}

std::string form_text(const FormHunt& form) {
  if (!form.caught) {
    return fmt::format("{} {}: no failure in {} drawn cases",
                       form.wrong_here ? "SURVIVED on" : "right on", form.backend, form.cases);
  }
  return fmt::format("{} {} after {} drawn cases: {}",
                     form.wrong_here ? "caught on" : "FAILED on, where it is right,", form.backend,
                     form.cases, to_text(*form.case_));
}

std::string judges_text(const Hunt& hunt) {
  if (hunt.property.empty()) {
    return fmt::format("nothing, in {} drawn cases that every property judged", hunt.cases);
  }
  return fmt::format("{} after {} drawn cases{}", hunt.property, hunt.cases,
                     hunt.by_smallest_alone ? ", on the listed case alone" : "");
}

std::string others_text(const Hunt& hunt) {
  if (!hunt.others) return "";
  if (hunt.others->empty()) return "no other property fails on the listed case";
  return fmt::format("on the listed case these fail: {}", fmt::join(*hunt.others, ", "));
}

std::string hunt_text(const Hunt& hunt) {
  std::string text = fmt::format("{}  {} ({})\n", heading_of(hunt.state()), hunt.name, hunt.source);
  text += fact("fault", hunt.fault) + fact("by", judges_text(hunt));
  text += fact("because", hunt.equivalent);
  if (hunt.case_) text += fact(hunt.shrunk ? "case" : "drawn", to_text(*hunt.case_));
  text += fact("listed", to_text(hunt.smallest));
  if (hunt.caught && hunt.shrunk && !hunt.small_enough) {
    text += fact("note", "the shrunk case is larger than the listed one");
  }
  text += fact("why not", hunt.why_not) + fact("others", others_text(hunt));
  for (const FormHunt& form : hunt.forms) text += fact("form", form_text(form));
  return text;
}

std::vector<const Hunt*> in_state(const HuntReport& report, HuntState state) {
  std::vector<const Hunt*> hunts;
  for (const Hunt& hunt : report.hunts) {
    if (hunt.state() == state) hunts.push_back(&hunt);
  }
  return hunts;
}

std::string names_of(const std::vector<const Hunt*>& hunts) {
  std::string names;
  for (const Hunt* hunt : hunts) names += (names.empty() ? "" : ", ") + hunt->name;
  return names;
}

std::string pace_text(const HuntReport& report) {
  const HuntPace pace = pace_of(report);
  if (pace.slowest.empty()) return "";
  std::string slowest;
  for (const Hunt* hunt : pace.slowest) {
    slowest += fmt::format("{}{} after {}", slowest.empty() ? "" : ", ", hunt->name, hunt->cases);
  }
  const std::string median = pace.median ? std::to_string(*pace.median) : "more than were drawn";
  return fmt::format("drawn cases until caught: median {}; slowest {}\n", median, slowest);
}

std::string total_text(const HuntReport& report) {
  const auto equivalent = in_state(report, HuntState::equivalent);
  size_t wrong = 0;
  std::vector<const Hunt*> listed;
  for (const Hunt& hunt : report.hunts) {
    wrong += hunt.equivalent.empty() ? 1 : 0;
    if (hunt.by_smallest_alone) listed.push_back(&hunt);
  }
  std::string text = fmt::format("{} of {} mutants caught, seed {}\n",
                                 in_state(report, HuntState::caught).size(), wrong, report.seed);
  if (!equivalent.empty()) {
    text += fmt::format("{} equivalent, caught by nothing\n", equivalent.size());
  }
  for (const HuntState state :
       {HuntState::survived, HuntState::caught_where_right, HuntState::not_judged}) {
    const auto hunts = in_state(report, state);
    if (!hunts.empty()) text += fmt::format("{}: {}\n", heading_of(state), names_of(hunts));
  }
  if (!listed.empty()) text += "on the listed case alone: " + names_of(listed) + "\n";
  return text + pace_text(report);
}

}  // namespace

std::string report_text(const HuntReport& report) {
  std::string text;
  for (const Hunt& hunt : report.hunts) text += hunt_text(hunt);
  return text + "\n" + total_text(report);
}

}  // namespace attncheck
