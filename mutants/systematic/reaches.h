#pragma once

#include <vector>

#include "mutants/systematic/operator.h"

namespace attncheck {

inline const std::vector<Method> kAllMethods{Method::ring, Method::ulysses, Method::unified,
                                             Method::allgather_kv};
// Those that go block by block.
inline const std::vector<Method> kInSteps{Method::ring, Method::unified};
// Those that trade heads.
inline const std::vector<Method> kInTrades{Method::ulysses, Method::unified};

inline const std::vector<Phase> kForward{Phase::forward}, kBackward{Phase::backward},
    kEachPass{Phase::forward, Phase::backward},
    kEachAndBoth{Phase::forward, Phase::backward, Phase::both};

// Words of a case on one rank: batch, grouped heads, causal, more queries than keys.
inline constexpr const char* kOneRank = "mesh=1x1 b=2 q=24 kv=12 h=4 hkv=2 d=3 dv=2 causal=1";

}  // namespace attncheck
