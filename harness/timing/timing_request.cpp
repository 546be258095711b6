#include "harness/timing/timing_request.h"

#include <sstream>
#include <stdexcept>
#include <utility>

#include <nlohmann/json.hpp>

#include "problem/case_text.h"
#include "problem/next_multiple.h"

namespace attncheck::timing {
namespace {

// The first word, and what is behind it.
std::pair<std::string, std::string> split(const std::string& line) {
  const size_t space = line.find(' ');
  if (space == std::string::npos) return {line, ""};
  return {line.substr(0, space), line.substr(space + 1)};
}

void take_line(const std::string& word, const std::string& rest, TimingRequest& request) {
  if (word == "pass") {
    request.passes.push_back(parse_case(rest));
  } else if (word == "exchange") {
    request.exchanges.push_back(parse_exchange(rest));
  } else {
    throw std::invalid_argument("'" + word + "' is no line of a request for times");
  }
}

}  // namespace

std::string to_text(const TimingRequest& request) {
  std::string text;
  const auto add = [&text](const char* word, const std::string& what) {
    text += std::string(kTimingWord) + " " + word + " " + what + "\n";
  };
  for (const Case& pass : request.passes) add("pass", to_text(pass));
  for (ExchangeKind kind : request.exchanges) add("exchange", to_text(kind));
  return text;
}

TimingRequest parse_timing_request(const std::string& text) {
  TimingRequest request;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    const auto [first, words] = split(line);
    if (first != kTimingWord) throw std::invalid_argument("'" + line + "' is no line of times");
    const auto [word, rest] = split(words);
    take_line(word, rest, request);
  }
  return request;
}

std::string to_bytes(const RankTimes& times) {
  nlohmann::json laps = nlohmann::json::array();
  for (const Laps& of : times.laps) {
    laps.push_back({{"forward", of.forward}, {"backward", of.backward}, {"refused", of.refused}});
  }
  const nlohmann::json json{{"laps", laps}, {"error", times.error}};
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

RankTimes rank_times_from_bytes(const std::string& bytes) {
  try {
    const nlohmann::json json = nlohmann::json::parse(bytes);
    RankTimes times;
    times.error = json.at("error").get<std::string>();
    for (const nlohmann::json& laps : json.at("laps")) {
      times.laps.push_back({laps.at("forward").get<std::vector<double>>(),
                            laps.at("backward").get<std::vector<double>>(),
                            laps.at("refused").get<std::string>()});
    }
    return times;
  } catch (const nlohmann::json::exception& error) {
    throw std::invalid_argument(std::string("not a rank's times: ") + error.what());
  }
}

int64_t exchanged_elements(const Problem& problem, int ranks) {
  const int64_t shard =
      problem.batch * (problem.kv_len / ranks) * problem.kv_heads * problem.head_dim;
  return next_multiple(shard, ranks);
}

}  // namespace attncheck::timing
