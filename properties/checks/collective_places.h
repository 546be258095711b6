#pragma once

#include <array>
#include <optional>
#include <string>

#include "impl/contract/collective.h"
#include "properties/observation.h"
#include "properties/verdict.h"

namespace attncheck {

// Which element goes where, by a collective's specification. A place counts the elements of one
// rank's tensor row by row. The collective outlives it.
class Places {
 public:
  using Shape = std::array<int64_t, 4>;

  Places(const Case& c, const Collective& collective);

  const Shape& input_shape() const { return input_; }    // (B, S, H, D) on every rank
  const Shape& output_shape() const { return output_; }  // (B, S, H, D) on every rank
  int64_t inputs() const;                                // elements of a rank's input
  int64_t outputs() const;

  // Whether the collective says where elements come from.
  bool specified() const;
  // Where the element at `place` of a rank's output comes from.
  Origin origin(int rank, int64_t place) const;
  // The place of an index in an input.
  int64_t input_place(const std::array<int64_t, 4>& index) const;
  // "rank 1 at (0, 2, 0, 0)" for the input element whose tag it is, or "no tag".
  std::string owner_of_tag(double value) const;

 private:
  Case case_;
  const Collective& collective_;
  Shape input_, output_;
};

// Fail, when a rank's tensor is missing or has another shape.
std::optional<Verdict> wrong_shape_of(const Observation& observation, const std::string& tensor,
                                      const Places::Shape& shape);

}  // namespace attncheck
