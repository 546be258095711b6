#include "harness/drive/query_parts.h"

#include <algorithm>

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros_like.h>

#include "harness/drive/contribution_match.h"
#include "harness/drive/contribution_row.h"
#include "properties/token_positions.h"

namespace attncheck {
namespace {

using Fate = Contribution::Fate;

// k where a rank owns the key, else 0.
at::Tensor keys_of(const Case& c, const at::Tensor& k, int rank) {
  at::Tensor keys = at::zeros_like(k);
  for (int64_t position = 0; position < k.size(1); ++position) {
    if (key_owner(c, position) == rank) keys.select(1, position).copy_(k.select(1, position));
  }
  return keys;
}

std::vector<Contribution> row_of(const std::vector<bool>& expected, Fate fate) {
  std::vector<Contribution> row;
  for (const bool there : expected) row.push_back({there ? fate : Fate::none, {}});
  return row;
}

std::vector<at::Tensor> both_signs(const std::vector<at::Tensor>& terms) {
  std::vector<at::Tensor> signed_terms;
  for (const at::Tensor& term : terms) {
    signed_terms.push_back(term.defined() ? term.neg() : at::Tensor());
  }
  signed_terms.insert(signed_terms.end(), terms.begin(), terms.end());
  return signed_terms;
}

bool distinct(std::vector<int> found, int world) {
  for (int& term : found) term %= world;
  std::sort(found.begin(), found.end());
  return std::adjacent_find(found.begin(), found.end()) == found.end();
}

}  // namespace

std::vector<at::Tensor> query_parts(const Case& c, const Expected& expected) {
  // dq = scale dS k. Columns that q has as 0 leave dS as it is, and dq has there what dS makes of
  // k's: each shard's keys alone.
  reference::Inputs inputs = expected.inputs;
  const int world = c.mesh.world();
  std::vector<at::Tensor> q{inputs.q}, k{inputs.k};
  for (int rank = 0; rank < world; ++rank) {
    q.push_back(at::zeros_like(inputs.q));
    k.push_back(keys_of(c, inputs.k, rank));
  }
  const int64_t width = inputs.q.size(3);
  inputs.q = at::cat(q, 3);
  inputs.k = at::cat(k, 3);
  const at::Tensor dq = reference::vjp(inputs, expected.dout, {}).dq;
  std::vector<at::Tensor> parts;
  for (int rank = 0; rank < world; ++rank) parts.push_back(dq.narrow(3, width * (rank + 1), width));
  return parts;
}

std::vector<Contribution> parts_in(const at::Tensor& got, const std::vector<at::Tensor>& parts,
                                   double bound) {
  const int world = static_cast<int>(parts.size());
  const at::Tensor allowed = at::full({}, bound, at::kDouble);
  std::vector<bool> expected;
  std::vector<at::Tensor> terms;
  at::Tensor difference = got.clone();
  for (const at::Tensor& part : parts) {
    difference -= part;
    expected.push_back(largest(part) > bound);
    terms.push_back(expected.back() ? part : at::Tensor());
  }
  if (largest(difference) <= bound) return row_of(expected, Fate::ok);
  const auto off = match_sum(difference, both_signs(terms), -1, allowed);
  if (off && distinct(*off, world)) {
    std::vector<Contribution> row = row_of(expected, Fate::ok);
    for (const int term : *off) {
      row[term % world].fate = term < world ? Fate::missing : Fate::doubled;
    }
    return row;
  }
  const auto present = match_sum(got, terms, -1, allowed);
  if (!present || !distinct(*present, world)) return row_of(expected, Fate::wrong);
  std::vector<Contribution> row = row_of(expected, Fate::missing);
  for (const int term : *present) row[term].fate = Fate::ok;
  return row;
}

}  // namespace attncheck
