#include "harness/drive/hunt_report.h"

#include <algorithm>

#include "harness/drive/median.h"

namespace attncheck {
namespace {

constexpr size_t kSlowest = 3;

bool is_shown_by_drawn_case(const Hunt& hunt) {
  return hunt.caught && !hunt.by_smallest_alone;
}

}  // namespace

int HuntReport::exit_code() const {
  std::vector<HuntState> states;
  for (const Hunt& hunt : hunts) states.push_back(hunt.state());
  return exit_code_of(states);
}

HuntPace pace_of(const HuntReport& report) {
  std::vector<std::optional<int64_t>> cases;
  HuntPace pace;
  for (const Hunt& hunt : report.hunts) {
    if (!hunt.equivalent.empty()) continue;
    const bool shown = is_shown_by_drawn_case(hunt);
    cases.push_back(shown ? std::optional(hunt.cases) : std::nullopt);
    if (shown) pace.slowest.push_back(&hunt);
  }
  pace.median = lower_median(cases);
  std::ranges::stable_sort(pace.slowest, std::ranges::greater(), &Hunt::cases);
  pace.slowest.resize(std::min(pace.slowest.size(), kSlowest));
  return pace;
}

}  // namespace attncheck
