#pragma once

#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "problem/case_text.h"

namespace attncheck {

// What the reports for programs have in common. Keys stay in the order in which they are written.
using ReportJson = nlohmann::ordered_json;

// {"attncheck", "libtorch", "seed"} of any report.
template <typename Report>
ReportJson head_json(const Report& report) {
  return {{"attncheck", report.version}, {"libtorch", report.libtorch}, {"seed", report.seed}};
}

inline ReportJson case_json(const std::optional<Case>& c) {
  return c ? ReportJson(to_text(*c)) : ReportJson();
}

template <typename T>
ReportJson number_json(const std::optional<T>& number) {
  return number ? ReportJson(*number) : ReportJson();
}

// Bytes that are no UTF-8 (a rank's own words) are replaced.
inline std::string dumped(const ReportJson& json) {
  return json.dump(2, ' ', false, ReportJson::error_handler_t::replace) + "\n";
}

}  // namespace attncheck
