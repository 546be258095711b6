#include "harness/callables/description.h"

#include <fstream>
#include <iterator>

#include <nlohmann/json.hpp>

namespace attncheck {
namespace {

using DescriptionJson = nlohmann::json;

std::vector<CallableDescription> callables_in(const DescriptionJson& list) {
  std::vector<CallableDescription> callables;
  for (const DescriptionJson& entry : list) {
    callables.push_back({entry.at("name"), entry.at("takes").get<std::set<std::string>>()});
  }
  return callables;
}

}  // namespace

CallableDescriptions parse_descriptions(const std::string& text) {
  CallableDescriptions all;
  try {
    const DescriptionJson json = DescriptionJson::parse(text);
    all.rank_command = json.at("rank_command").get<std::vector<std::string>>();
    all.program = json.at("program");
    if (json.contains("packages")) json.at("packages").get_to(all.packages);
    all.implementations = callables_in(json.at("implementations"));
    all.backends = callables_in(json.at("backends"));
  } catch (const DescriptionJson::exception& error) {
    throw BadDescriptions(std::string("it describes no callables: ") + error.what());
  }
  if (all.rank_command.empty()) throw BadDescriptions("its rank_command has no word");
  return all;
}

CallableDescriptions descriptions_in(const std::string& path) {
  std::ifstream file(path);
  if (!file.is_open()) throw BadDescriptions("it cannot be read");
  return parse_descriptions({std::istreambuf_iterator<char>(file), {}});
}

}  // namespace attncheck
