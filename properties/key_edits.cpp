#include "properties/key_edits.h"

#include <algorithm>
#include <numeric>

#include "properties/element.h"
#include "properties/values_by_place.h"

namespace attncheck {
namespace {

constexpr int64_t kMostShiftSixteenths = 32;

std::vector<int64_t> another_order(const Case& c, std::vector<int64_t> keys) {
  const Element root(c.seed, kOrder);
  std::ranges::stable_sort(keys, {}, [&](int64_t key) { return root.at(key).bits(); });
  if (std::ranges::is_sorted(keys)) std::ranges::rotate(keys, keys.end() - !keys.empty());
  return keys;
}

int64_t cell_batches(const Case& c) {
  return c.problem.view == View::expanded ? 1 : c.problem.batch;
}

}  // namespace

std::vector<int64_t> key_sources(const Request& request) {
  std::vector<int64_t> keys(request.case_.problem.kv_len);
  std::iota(keys.begin(), keys.end(), 0);
  if (request.key == KeyEdit::permuted) return another_order(request.case_, std::move(keys));
  if (request.key == KeyEdit::duplicated) {
    const int64_t half = request.case_.problem.kv_len / 2;
    for (int64_t& key : keys) key %= half;
  }
  return keys;
}

double key_shift(const Case& c, int64_t kv_head, int64_t d) {
  const Element element = Element(c.seed, kShift).at(kv_head).at(d);
  return static_cast<double>(element.integer(-kMostShiftSixteenths, kMostShiftSixteenths)) / 16;
}

int64_t cell_count(const Case& c) {
  return cell_batches(c) * c.problem.kv_heads;
}

// One cell drawn by the seed changes and the next one stays; the others are drawn one by one.
bool changed_cell(const Case& c, int64_t b, int64_t kv_head) {
  const Element root(c.seed, kCells);
  const int64_t count = cell_count(c);
  const int64_t cell = (b % cell_batches(c)) * c.problem.kv_heads + kv_head;
  const int64_t changed = root.integer(0, count - 1);
  if (cell == changed) return true;
  if (cell == (changed + 1) % count) return false;
  return root.at(cell).integer(0, 1) == 1;
}

}  // namespace attncheck
