#pragma once

#include "problem/case.h"
#include "problem/words.h"

namespace attncheck {

inline constexpr Words<DType, 4> kDTypeWords{{"f64", "f32", "bf16", "f16"}};
inline constexpr Words<Align, 2> kAlignWords{{"tl", "br"}};
inline constexpr Words<Mask, 3> kMaskWords{{"none", "bool", "additive"}};
inline constexpr Words<MaskAxes, 4> kMaskAxesWords{{"bhqk", "b1qk", "b11k", "bk"}};
inline constexpr Words<JointPlace, 3> kJointPlaceWords{{"none", "front", "rear"}};
inline constexpr Words<Layout, 3> kLayoutWords{{"contiguous", "zigzag", "striped"}};
inline constexpr Words<Data, 6> kDataWords{
    {"normal", "large", "offset", "selector", "tagged", "low"}};
inline constexpr Words<View, 4> kViewWords{{"none", "offset", "permuted", "expanded"}};
inline constexpr Words<Rotate, 3> kRotateWords{{"allgather", "p2p", "alltoall"}};
inline constexpr Words<MeshOrder, 2> kMeshOrderWords{{"ru", "ur"}};

}  // namespace attncheck
