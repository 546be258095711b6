#include "harness/drive/check_report.h"

#include <algorithm>

#include <fmt/format.h>

namespace attncheck {
namespace {

bool judged_nothing(const StreamReport& stream) {
  return std::all_of(stream.results.begin(), stream.results.end(),
                     [](const PropertyResult& r) { return r.cases == 0; });
}

}  // namespace

bool StreamReport::failed() const {
  return std::any_of(results.begin(), results.end(), [](const PropertyResult& result) {
    return result.verdict == Verdict::Kind::fail;
  });
}

std::vector<std::string> StreamReport::unchecked() const {
  const std::string name = stream_name(spec);
  std::vector<std::string> lines;
  for (const std::string& cell : empty_cells) {
    lines.push_back(fmt::format("{}: no case in the cell '{}', which the subject supports{}", name,
                                cell, out_of_time ? " (out of time)" : ""));
  }
  if (draws.refused_share() > kMostRefusedDraws) {
    lines.push_back(fmt::format(
        "{}: the subject refused {} of {} draws ({:.0f} %, at most {:.0f} "
        "%): the generator does not know what it supports",
        name, draws.refused, draws.drawn, 100 * draws.refused_share(), 100 * kMostRefusedDraws));
  }
  for (const PropertyResult& result : results) {
    if (!result.unrepeatable) continue;
    lines.push_back(fmt::format("{}: {}: {}", name, result.property, result.reason));
  }
  if (judged_nothing(*this)) lines.push_back(name + ": no property judged any case");
  return lines;
}

int CheckReport::exit_code() const {
  bool unchecked = streams.empty();
  for (const StreamReport& stream : streams) {
    if (stream.failed()) return 1;
    unchecked = unchecked || !stream.unchecked().empty();
  }
  return unchecked ? 3 : 0;
}

}  // namespace attncheck
