#pragma once

#include <stdexcept>
#include <string>

#include "harness/registry.h"
#include "plugin/plugin.h"

namespace attncheck {

// A plug-in that was refused: what() is one line that names its path, what came, what was expected
// and what to do.
class PluginRefused : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

// The path as ranks and replays have it: absolute, without links. Throws PluginRefused where there
// is no such file.
std::string plugin_path(const std::string& given);

// What is wrong with a plug-in's data, in a sentence; empty: nothing. Looks at nothing behind a
// field that differs.
std::string data_fault(const Plugin& plugin);

// Opens the plug-in, compares its data, runs its init, and adds what that brought, and its path, to
// the registry. It stays open until the process ends. Throws PluginRefused, and leaves the registry
// as it was.
void add_plugin(Registry& registry, const std::string& given);

}  // namespace attncheck
