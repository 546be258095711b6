#pragma once

#include <cstdint>

#include "properties/element.h"

// The runs of a case ask for the same few numbers again and again, in the order of the components.
namespace attncheck {

// element.normal(), which this thread looks up if it was asked for it before: a logarithm and a
// cosine cost more than the rest of an element.
double kept_normal(const Element& element);

// root.at(b).at(s).at(h), hashed once for all components of a row.
class RowOfElements {
 public:
  explicit RowOfElements(const Element& root) : root_(root), row_(root) {}

  const Element& at(int64_t b, int64_t s, int64_t h) {
    if (b == b_ && s == s_ && h == h_) return row_;
    b_ = b, s_ = s, h_ = h;
    return row_ = root_.at(b).at(s).at(h);
  }

 private:
  Element root_, row_;
  int64_t b_ = -1, s_ = -1, h_ = -1;
};

}  // namespace attncheck
