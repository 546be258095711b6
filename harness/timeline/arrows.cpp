#include "harness/timeline/arrows.h"

#include <cmath>
#include <map>
#include <utility>

namespace attncheck::timeline {

std::vector<Arrow> arrows_of(const Trace& trace) {
  std::map<std::pair<int, size_t>, double> posted, arrived;
  for (const Span& span : trace.spans) {
    if (span.kind == Span::Kind::post) posted[{span.rank, span.exchange}] = span.begin;
    if (span.kind == Span::Kind::wait) arrived[{span.rank, span.exchange}] = span.end;
  }
  std::vector<Arrow> arrows;
  for (const Meeting& meeting : trace.meetings) {
    const auto begin = posted.find({meeting.from_rank, meeting.from_exchange});
    const auto end = arrived.find({meeting.to_rank, meeting.to_exchange});
    if (begin == posted.end() || end == arrived.end()) continue;
    arrows.push_back({meeting.from_rank, begin->second, meeting.to_rank, end->second,
                      trace.exchanges[meeting.from_rank][meeting.from_exchange].operation});
  }
  return arrows;
}

double microseconds(double seconds) {
  return std::round(seconds * 1e9) / 1e3;
}

}  // namespace attncheck::timeline
