#pragma once

#include <cstdint>

namespace attncheck {

struct Additions;

// Raised whenever a plug-in that was built before would be misunderstood although no struct changed
// its size.
inline constexpr uint32_t kPluginAbi = 1;

// What a plug-in exports as `attncheck_plugin`: plain data, compared with the program's own before
// anything of the plug-in is called. Later fields mean nothing where `abi` differs.
struct Plugin {
  uint32_t abi;
  uint64_t layout;           // kPluginLayout of the headers that it was compiled with
  const char* libtorch;      // TORCH_VERSION of those
  const char* name;          // for people
  void (*init)(Additions&);  // may throw: the plug-in is then refused with what it threw
};

inline constexpr const char* kPluginSymbol = "attncheck_plugin";

}  // namespace attncheck
