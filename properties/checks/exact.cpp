#include "properties/checks/exact.h"

#include <cmath>

#include <fmt/format.h>

#include "properties/checks/judging.h"

namespace attncheck {
namespace {

std::vector<int64_t> index_at(int64_t place, at::IntArrayRef sizes) {
  std::vector<int64_t> index(sizes.size());
  for (size_t axis = sizes.size(); axis-- > 0;) {
    index[axis] = place % sizes[axis];
    place /= sizes[axis];
  }
  return index;
}

Evidence evidence_at(const RankResult& rank, const std::string& tensor, int64_t place, double value,
                     const std::string& expected, const std::string& complaint) {
  Evidence evidence;
  evidence.tensor = tensor;
  evidence.error = std::abs(value);
  evidence.rank = evidence.shard = rank.rank;
  evidence.index = index_at(place, rank.tensors.at(tensor).sizes());
  evidence.expected = expected;
  evidence.got = fmt::format("{:.9g}", value);
  evidence.message =
      fmt::format("{} of rank {} at {} {}: {}, expected {}", tensor, rank.rank,
                  index_text(evidence.index), complaint, evidence.got, evidence.expected);
  return evidence;
}

}  // namespace

Verdict every_element(const Observation& observation, const std::string& tensor,
                      const std::string& complaint, const WrongElement& wrong) {
  int64_t judged = 0;
  for (const RankResult& rank : observation.ranks) {
    const auto found = rank.tensors.find(tensor);
    if (found == rank.tensors.end()) continue;
    const at::Tensor values = found->second.to(at::kDouble).contiguous();
    const double* value = values.const_data_ptr<double>();
    for (int64_t place = 0; place < values.numel(); ++place) {
      const auto expected = wrong(rank.rank, place, value[place]);
      if (!expected) continue;
      return Verdict::fail(evidence_at(rank, tensor, place, value[place], *expected, complaint));
    }
    judged += values.numel();
  }
  return judged == 0 ? Verdict::not_run(tensor + " has no element") : Verdict::pass();
}

}  // namespace attncheck
