#pragma once

#include <cstdint>
#include <string>

namespace attncheck {

// FNV-1a, 64 bits: the same number for the same text on every platform.
inline uint64_t fnv1a(const std::string& text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (unsigned char letter : text) hash = (hash ^ letter) * 0x100000001b3;
  return hash;
}

}  // namespace attncheck
