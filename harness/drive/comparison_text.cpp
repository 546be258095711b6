#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "harness/drive/compare_reports.h"

namespace attncheck {
namespace {

std::string head_text(const ReportHead& head) {
  return fmt::format("attncheck {}, LibTorch {}, seed {}", head.attncheck, head.libtorch,
                     head.seed);
}

std::string list_text(const char* title, const std::vector<VerdictChange>& changes) {
  std::string text;
  for (const VerdictChange& change : changes) {
    text += fmt::format("{:<13} {}: {} -> {}\n", title, change.where, change.before, change.after);
    if (!change.case_text.empty()) text += fmt::format("{:<13} case {}\n", "", change.case_text);
  }
  return text;
}

std::string figure_text(const Drift& drift, double figure) {
  const bool bytes = drift.what != "error / bound";
  return bytes ? fmt::format("{:.0f}", figure) : fmt::format("{:.3g} %", 100 * figure);
}

std::string drift_text(const Drift& drift) {
  return fmt::format("{:<13} {}: {} {} -> {}\n", "drift", drift.where, drift.what,
                     figure_text(drift, drift.before), figure_text(drift, drift.after));
}

nlohmann::ordered_json changes_json(const std::vector<VerdictChange>& changes) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const VerdictChange& change : changes) {
    list.push_back({{"where", change.where},
                    {"before", change.before},
                    {"after", change.after},
                    {"case", change.case_text}});
  }
  return list;
}

nlohmann::ordered_json head_of(const ReportHead& head) {
  return {{"attncheck", head.attncheck}, {"libtorch", head.libtorch}, {"seed", head.seed}};
}

}  // namespace

std::string comparison_text(const Comparison& comparison) {
  std::string text = "before: " + head_text(comparison.before) + "\n" +
                     "after:  " + head_text(comparison.after) + "\n\n";
  text += list_text("new failure", comparison.broken);
  text += list_text("not judged", comparison.lost);
  text += list_text("still fails", comparison.failing);
  text += list_text("fixed", comparison.fixed);
  for (const Drift& drift : comparison.drifts) text += drift_text(drift);
  if (!comparison.without_figures.empty()) {
    text += "errors, bytes and memory are not compared: " + comparison.without_figures + "\n";
  }
  if (comparison.exit_code() == 3 && comparison.lost.empty()) {
    text += "not checked: neither report judged anything\n";
  }
  return text + fmt::format(
                    "{} new failures, {} no longer judged, {} still fail, {} fixed, {} "
                    "drifts, {} newly judged, {} the same\n",
                    comparison.broken.size(), comparison.lost.size(), comparison.failing.size(),
                    comparison.fixed.size(), comparison.drifts.size(), comparison.gained,
                    comparison.same);
}

std::string comparison_json(const Comparison& comparison) {
  nlohmann::ordered_json json{{"before", head_of(comparison.before)},
                              {"after", head_of(comparison.after)},
                              {"broken", changes_json(comparison.broken)},
                              {"fixed", changes_json(comparison.fixed)},
                              {"failing", changes_json(comparison.failing)},
                              {"lost", changes_json(comparison.lost)},
                              {"drifts", nlohmann::ordered_json::array()},
                              {"same", comparison.same},
                              {"gained", comparison.gained}};
  for (const Drift& drift : comparison.drifts) {
    json["drifts"].push_back({{"where", drift.where},
                              {"what", drift.what},
                              {"before", drift.before},
                              {"after", drift.after}});
  }
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace attncheck
