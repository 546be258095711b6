#include "sim/schedule_text.h"

#include <charconv>
#include <optional>
#include <stdexcept>
#include <string_view>

#include "sim/random_schedules.h"

namespace attncheck::sim {

namespace {

// Digits alone, all of the text.
std::optional<uint64_t> whole_number(std::string_view text) {
  uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || error != std::errc() || stop != end) return std::nullopt;
  return value;
}

// "D:SEED"
std::unique_ptr<Schedule> make_pct(std::string_view text) {
  const size_t colon = text.find(':');
  if (colon == std::string_view::npos) return nullptr;
  const auto depth = whole_number(text.substr(0, colon));
  const auto seed = whole_number(text.substr(colon + 1));
  if (!depth || !seed || *depth < 1 || *depth > PctSchedule::kMaxDepth) return nullptr;
  return std::make_unique<PctSchedule>(static_cast<int>(*depth), *seed);
}

std::unique_ptr<Schedule> make_named(std::string_view text) {
  constexpr std::string_view kRandom = "random:", kPct = "pct:";
  if (text.empty() || text == "rr") return std::make_unique<RoundRobin>();
  if (text.starts_with(kPct)) return make_pct(text.substr(kPct.size()));
  if (!text.starts_with(kRandom)) return nullptr;
  const auto seed = whole_number(text.substr(kRandom.size()));
  return seed ? std::make_unique<UniformSchedule>(*seed) : nullptr;
}

}  // namespace

std::unique_ptr<Schedule> make_schedule(const std::string& text) {
  if (auto made = make_named(text)) return made;
  throw std::invalid_argument(
      "schedule '" + text + "': expected rr, random:SEED or pct:D:SEED, with D from 1 to " +
      std::to_string(PctSchedule::kMaxDepth) + " and SEED from 0 to 2^64 - 1");
}

}  // namespace attncheck::sim
