#include "harness/drive/close_calls.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <nlohmann/json.hpp>

#include "problem/case_text.h"

namespace attncheck {
namespace {

using CallJson = nlohmann::ordered_json;

bool of_one_place(const Case& a, const Case& b) {
  return a.impl == b.impl && a.backend == b.backend && a.mesh.ring == b.mesh.ring &&
         a.mesh.ulysses == b.mesh.ulysses;
}

CloseCall call_of(const CallJson& json) {
  return {json.at("property").get<std::string>(), json.at("share").get<double>(),
          parse_case(json.at("case").get<std::string>())};
}

}  // namespace

void CloseCalls::add(CloseCall call) {
  if (!(call.share > 0) || !std::isfinite(call.share)) return;
  std::vector<CloseCall>& calls = calls_[{call.property, call.case_.problem.dtype}];
  const auto same = std::find_if(calls.begin(), calls.end(), [&](const CloseCall& other) {
    return of_one_place(other.case_, call.case_);
  });
  if (same != calls.end()) {
    if (same->share >= call.share) return;
    calls.erase(same);
  }
  const auto farther = std::find_if(
      calls.begin(), calls.end(), [&](const CloseCall& other) { return other.share < call.share; });
  calls.insert(farther, std::move(call));
  if (calls.size() > kKept) calls.pop_back();
}

std::vector<CloseCall> CloseCalls::all() const {
  std::vector<CloseCall> all;
  for (const auto& [key, calls] : calls_) all.insert(all.end(), calls.begin(), calls.end());
  return all;
}

std::string CloseCalls::json() const {
  CallJson list = CallJson::array();
  for (const CloseCall& call : all()) {
    list.push_back({{"property", call.property},
                    {"dtype", to_text(call.case_.problem.dtype)},
                    {"share", call.share},
                    {"case", to_text(call.case_)}});
  }
  return CallJson{{"closest_calls", list}}.dump(1) + "\n";
}

CloseCalls CloseCalls::parse(const std::string& json) {
  CloseCalls calls;
  if (json.empty()) return calls;
  try {
    const CallJson parsed = CallJson::parse(json);
    for (const CallJson& call : parsed.at("closest_calls")) calls.add(call_of(call));
  } catch (const CallJson::exception& error) {
    throw std::invalid_argument(std::string("expected closest calls as a check writes them: ") +
                                error.what());
  }
  return calls;
}

}  // namespace attncheck
