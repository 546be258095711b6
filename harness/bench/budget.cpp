#include "harness/bench/budget.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace attncheck::bench {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kAllMet = 0, kMissed = 1, kNotMeasured = 3;

const char* direction(const Budget& budget) {
  return budget.at_most ? "at most" : "at least";
}

std::string line(const Measured& m) {
  const std::string budget = fmt::format("{} {:g}", direction(m.budget), m.budget.limit);
  if (!m.ratio) return fmt::format("  {:<8} {:>30}  {:<13}", m.verdict(), "", budget);
  const std::string spread = fmt::format("({:.2f} to {:.2f})", m.ratio->low, m.ratio->high);
  return fmt::format("  {:<8} {:>9.2f} x {:>18}  {:<13}", m.verdict(), m.ratio->median, spread,
                     budget);
}

Json measured_json(const Measured& m) {
  Json json{{"name", m.budget.name},
            {"what", m.budget.what},
            {"budget", m.budget.limit},
            {"direction", direction(m.budget)},
            {"verdict", m.verdict()}};
  if (m.ratio) {
    json["ratio"] = m.ratio->median;
    json["low"] = m.ratio->low;
    json["high"] = m.ratio->high;
    json["repetitions"] = m.ratio->repetitions;
    json["details"] = m.details;
  } else {
    json["reason"] = m.not_run;
  }
  return json;
}

}  // namespace

std::string Measured::verdict() const {
  if (!ratio) return "not_run";
  const bool met = budget.at_most ? ratio->median <= budget.limit : ratio->median >= budget.limit;
  return met ? "met" : "missed";
}

int BenchReport::exit_code() const {
  const auto any = [this](const char* verdict) {
    return std::any_of(measured.begin(), measured.end(),
                       [&](const Measured& m) { return m.verdict() == verdict; });
  };
  return any("missed") ? kMissed : any("not_run") ? kNotMeasured : kAllMet;
}

std::string report_text(const BenchReport& report) {
  std::string text = fmt::format(
      "attncheck {}, LibTorch {}, {} cores\n"
      "  verdict       median (quartiles)            budget         what\n",
      report.version, report.libtorch, report.cores);
  for (const Measured& m : report.measured) {
    text += fmt::format("{}  {}: {}\n", line(m), m.budget.name, m.budget.what);
    text += fmt::format("{:>11}{}\n", "", m.ratio ? m.details : m.not_run);
  }
  return text + fmt::format("{:.0f} s\n", report.seconds);
}

std::string report_json(const BenchReport& report) {
  Json budgets = Json::array();
  for (const Measured& m : report.measured) budgets.push_back(measured_json(m));
  const Json json{{"attncheck", report.version}, {"libtorch", report.libtorch},
                  {"bench", "harness"},          {"cores", report.cores},
                  {"seconds", report.seconds},   {"budgets", budgets}};
  return json.dump(2) + "\n";
}

}  // namespace attncheck::bench
