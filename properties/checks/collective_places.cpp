#include "properties/checks/collective_places.h"

#include <cmath>

#include <fmt/format.h>

#include "impl/contract/collective.h"
#include "properties/checks/judging.h"

namespace attncheck {
namespace {

int64_t elements(const Places::Shape& shape) {
  return shape[0] * shape[1] * shape[2] * shape[3];
}

std::array<int64_t, 4> index_in(const Places::Shape& shape, int64_t place) {
  std::array<int64_t, 4> index{};
  for (size_t axis = 4; axis-- > 0;) {
    index[axis] = place % shape[axis];
    place /= shape[axis];
  }
  return index;
}

}  // namespace

Places::Places(const Case& c, const Collective& collective)
    : case_(c),
      collective_(collective),
      input_(collective.input_shape(c)),
      output_(collective.output_shape(c)) {}

int64_t Places::inputs() const {
  return elements(input_);
}

int64_t Places::outputs() const {
  return elements(output_);
}

bool Places::specified() const {
  return static_cast<bool>(collective_.origin);
}

Origin Places::origin(int rank, int64_t place) const {
  return collective_.origin(case_, rank, index_in(output_, place));
}

int64_t Places::input_place(const std::array<int64_t, 4>& index) const {
  int64_t place = 0;
  for (size_t axis = 0; axis < 4; ++axis) place = place * input_[axis] + index[axis];
  return place;
}

std::string Places::owner_of_tag(double value) const {
  const double most = static_cast<double>(inputs()) * case_.mesh.world();
  if (!(value >= 0 && value < most) || value != std::floor(value)) return "no tag";
  const auto number = static_cast<int64_t>(value);
  return fmt::format("that of rank {} at {}", number / inputs(),
                     index_text(index_in(input_, number % inputs())));
}

std::optional<Verdict> wrong_shape_of(const Observation& observation, const std::string& tensor,
                                      const Places::Shape& shape) {
  for (const RankResult& rank : observation.ranks) {
    const auto found = rank.tensors.find(tensor);
    const bool there = found != rank.tensors.end();
    if (there && found->second.sizes() == at::IntArrayRef(shape)) continue;
    return wrong_form(tensor, rank.rank, index_text(shape),
                      there ? index_text(found->second.sizes()) : "missing");
  }
  return std::nullopt;
}

}  // namespace attncheck
