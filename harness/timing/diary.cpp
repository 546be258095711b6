#include "harness/timing/diary.h"

#include <chrono>
#include <stdexcept>
#include <string_view>

#include <nlohmann/json.hpp>

#include "problem/case_text.h"

namespace attncheck::timing {

std::string trace_request(const Case& c) {
  return std::string(kTraceWord) + " " + to_text(c);
}

Case parse_trace_request(const std::string& text) {
  const std::string_view word(kTraceWord);
  if (!text.starts_with(word) || text.size() <= word.size()) {
    throw std::invalid_argument("'" + text + "' is no request for a trace");
  }
  return parse_case(text.substr(word.size() + 1));
}

std::string to_bytes(const Diary& diary) {
  nlohmann::json exchanges = nlohmann::json::array(), deeds = nlohmann::json::array();
  for (const Diary::Exchange& e : diary.exchanges) {
    exchanges.push_back({e.operation, e.group, e.peer, e.tag, e.bytes});
  }
  for (const Diary::Deed& d : diary.deeds) {
    deeds.push_back({d.waited, d.exchange, d.begin, d.end});
  }
  const nlohmann::json json{{"exchanges", exchanges},
                            {"deeds", deeds},
                            {"pass", {diary.begin, diary.backward, diary.end}},
                            {"error", diary.error}};
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Diary diary_from_bytes(const std::string& bytes) {
  try {
    const nlohmann::json json = nlohmann::json::parse(bytes);
    Diary diary;
    for (const nlohmann::json& e : json.at("exchanges")) {
      diary.exchanges.push_back({e.at(0), e.at(1), e.at(2), e.at(3), e.at(4)});
    }
    for (const nlohmann::json& d : json.at("deeds")) {
      diary.deeds.push_back({d.at(0), d.at(1), d.at(2), d.at(3)});
    }
    json.at("pass").at(0).get_to(diary.begin);
    json.at("pass").at(1).get_to(diary.backward);
    json.at("pass").at(2).get_to(diary.end);
    json.at("error").get_to(diary.error);
    return diary;
  } catch (const nlohmann::json::exception& error) {
    throw std::invalid_argument(std::string("not a rank's diary: ") + error.what());
  }
}

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

size_t DiaryKeeper::post(const Diary::Exchange& exchange, double begin) {
  const std::scoped_lock lock(mutex_);
  exchanges_.push_back(exchange);
  deeds_.push_back({false, exchanges_.size() - 1, begin, seconds_now()});
  return exchanges_.size() - 1;
}

void DiaryKeeper::wait(size_t exchange, double begin) {
  const std::scoped_lock lock(mutex_);
  deeds_.push_back({true, exchange, begin, seconds_now()});
}

std::vector<Diary::Exchange> DiaryKeeper::exchanges() const {
  const std::scoped_lock lock(mutex_);
  return exchanges_;
}

std::vector<Diary::Deed> DiaryKeeper::deeds() const {
  const std::scoped_lock lock(mutex_);
  return deeds_;
}

void DiaryKeeper::clear() {
  const std::scoped_lock lock(mutex_);
  exchanges_.clear();
  deeds_.clear();
}

}  // namespace attncheck::timing
