#pragma once

namespace attncheck {

// How an implementation says that it works, so that what it moves and holds can be compared with
// what that takes. `other` says nothing.
//   ring     keys and values go around the ring, their gradients come home
//   ulysses  heads and tokens change places before and after a local attention
//   unified  Ulysses within its group, a ring across
//   allgather_kv  keys and values of all ranks are gathered at once, their gradients are summed by
//                 a reduce-scatter
enum class Method { other, ring, ulysses, unified, allgather_kv };

// The word above, which is the name of the built-in implementation as well.
constexpr const char* to_text(Method method) {
  switch (method) {
    case Method::ring:
      return "ring";
    case Method::ulysses:
      return "ulysses";
    case Method::unified:
      return "unified";
    case Method::allgather_kv:
      return "allgather_kv";
    case Method::other:
      break;
  }
  return "other";
}

}  // namespace attncheck
