#include "harness/contracts/contract_report.h"

#include <nlohmann/json.hpp>

namespace attncheck {
namespace {

using State = ContractFinding::State;
using ContractJson = nlohmann::ordered_json;

std::string state_word(State state) {
  if (state == State::agrees) return "agrees";
  return state == State::differs ? "differs" : "not_run";
}

ContractJson finding_json(const ContractFinding& finding, const std::string& release) {
  return {{"op", finding.op},
          {"release", release},
          {"what", finding.what},
          {"table", finding.table},
          {"witness", finding.witness},
          {"found", finding.found},
          {"state", state_word(finding.state)},
          {"reason", finding.reason}};
}

}  // namespace

int64_t ContractReport::count(State state) const {
  int64_t number = 0;
  for (const OperatorFindings& op : operators) {
    for (const ContractFinding& finding : op.findings) number += finding.state == state ? 1 : 0;
  }
  return number;
}

int ContractReport::exit_code() const {
  if (count(State::differs) > 0) return 1;
  return count(State::agrees) == 0 || !unchecked.empty() ? 3 : 0;
}

std::string report_json(const ContractReport& report) {
  ContractJson json{
      {"attncheck", report.version}, {"libtorch", report.libtorch}, {"release", report.release}};
  json["findings"] = ContractJson::array();
  for (const OperatorFindings& op : report.operators) {
    for (const ContractFinding& finding : op.findings) {
      json["findings"].push_back(finding_json(finding, report.release));
    }
  }
  json["quirks"] = ContractJson::array();
  for (const OperatorFindings& op : report.operators) {
    for (const Quirk& quirk : op.quirks) {
      json["quirks"].push_back({{"op", op.row.op}, {"name", quirk.name}, {"what", quirk.what}});
    }
  }
  json["unchecked"] = report.unchecked;
  return json.dump(2, ' ', false, ContractJson::error_handler_t::replace) + "\n";
}

}  // namespace attncheck
