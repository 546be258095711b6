#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "properties/observation.h"
#include "properties/request.h"
#include "properties/verdict.h"

namespace attncheck {

// Which axis of the sequence a tensor is sharded along: "out", "lse", "dq" by queries; "dk", "dv"
// by keys.
enum class Axis { query, key };
Axis axis_of(const std::string& tensor);

// The index of the element at `place` in row-major order.
std::vector<int64_t> index_of(int64_t place, at::IntArrayRef sizes);

// (0, 2, 1)
std::string index_text(at::IntArrayRef index);

// fail: "dk of rank 1 is GOT, expected EXPECTED", for a wrong shape or dtype, or a tensor that is
// missing.
Verdict wrong_form(const std::string& tensor, int rank, const std::string& expected,
                   const std::string& got);

// Compares the ranks' shards of `tensor` with the global `expected`, element by element: the
// patterns of NaN and infinities first, then |got - expected| <= bound. A missing tensor or a wrong
// shape fails as well; an expected NaN, a bound that is not finite, or an `expected` of another run
// that has not as many elements as the bound is not_run. pass carries the closest call, fail the
// worst element.
Verdict compare_shards(const Request& request, const Observation& observation,
                       const std::string& tensor, const at::Tensor& expected,
                       const at::Tensor& bound);

// The ranks' shards put together along the sequence, in float64; undefined if a rank has none of
// the right shape.
at::Tensor assemble(const Request& request, const Observation& observation,
                    const std::string& tensor);

// Compares two runs shard by shard, bit by bit (NaNs equal to NaNs of the same bits).
Verdict compare_bits(const Observation& a, const Observation& b, const std::string& tensor);

}  // namespace attncheck
