#include "impl/layouts/token_order.h"

#include <algorithm>
#include <optional>

namespace attncheck {
namespace {

// Sorted strands whose tokens alternate, as one.
std::optional<Strand> interleaved(const Strands& strands) {
  const auto count = static_cast<int64_t>(strands.size());
  if (count < 2 || strands[0].stride % count != 0) return std::nullopt;
  const Strand one{strands[0].offset, strands[0].stride / count, token_count(strands)};
  if (one.length == 0) return std::nullopt;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t length = (one.length - i + count - 1) / count;
    const Strand due{one.offset + i * one.stride, strands[0].stride, length};
    if (strands[i] != due) return std::nullopt;
  }
  return one;
}

bool continues(const Strand& first, const Strand& next) {
  return first.stride == next.stride && first.offset + first.stride * first.length == next.offset;
}

Strands joined(const Strands& sorted) {
  Strands all;
  for (const Strand& strand : sorted) {
    if (strand.length == 0) continue;
    if (!all.empty() && continues(all.back(), strand)) {
      all.back().length += strand.length;
    } else {
      all.push_back(strand);
    }
  }
  return all;
}

std::vector<int64_t> positions(const Strands& strands) {
  std::vector<int64_t> all;
  for (const Strand& strand : strands) {
    for (int64_t i = 0; i < strand.length; ++i) all.push_back(strand.offset + i * strand.stride);
  }
  return all;
}

std::vector<int64_t> places_of(const Strands& ordered, const Strands& held) {
  const std::vector<int64_t> came = positions(held);
  if (came.empty()) return {};
  std::vector<int64_t> place(*std::max_element(came.begin(), came.end()) + 1);
  for (size_t i = 0; i < came.size(); ++i) place[came[i]] = static_cast<int64_t>(i);
  std::vector<int64_t> places;
  for (const int64_t position : positions(ordered)) places.push_back(place[position]);
  return places;
}

}  // namespace

TokenOrder in_order(const Strands& held) {
  const auto before = [](const Strand& a, const Strand& b) { return a.offset < b.offset; };
  if (std::is_sorted(held.begin(), held.end(), before)) {
    const auto one = interleaved(held);
    if (!one) return {joined(held), {}};
    return {{*one}, places_of({*one}, held)};
  }
  Strands sorted = held;
  std::stable_sort(sorted.begin(), sorted.end(), before);
  const auto one = interleaved(sorted);
  const Strands ordered = one ? Strands{*one} : joined(sorted);
  return {ordered, places_of(ordered, held)};
}

}  // namespace attncheck
