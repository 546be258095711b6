#include "harness/plugins/open_plugin.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include <cxxabi.h>
#include <fmt/format.h>
#include <torch/version.h>

#include "harness/doing.h"
#include "harness/plugins/admit.h"
#include "harness/plugins/shared_object.h"

namespace attncheck {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw PluginRefused(fmt::format("plug-in '{}': {}", path, why));
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

// "void f(int)" for a mangled name.
std::string readable(const std::string& symbol) {
  int status = 0;
  char* text = abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status);
  const std::string plain = status == 0 ? text : symbol;
  std::free(text);
  return plain;
}

// "undefined symbol: _Z1fv" is a plug-in of another LibTorch or attncheck, or one that was linked
// in part.
std::string load_fault(const std::string& said) {
  constexpr std::string_view kUndefined = "undefined symbol: ";
  const size_t at = said.find(kUndefined);
  if (at == std::string::npos) {
    return "it is no shared library that can be loaded here (" + said +
           "): give one that attncheck_add_plugin built";
  }
  const size_t start = at + kUndefined.size();
  const std::string symbol = said.substr(start, said.find_first_of(" ,\t(", start) - start);
  return fmt::format(
      "nobody has '{}', which it uses: link what defines it, and build it with LibTorch {} and "
      "this "
      "attncheck's headers",
      readable(symbol), TORCH_VERSION);
}

SharedObject open_object(const std::string& path) {
  const Doing doing("opening plug-in", path);
  try {
    return SharedObject(path);
  } catch (const NotLoaded& error) {
    refuse(path, load_fault(error.what()));
  }
}

Additions brought_by(const Plugin& plugin, const std::string& path) {
  Additions additions;
  const Doing doing("the init of plug-in", path);
  try {
    plugin.init(additions);
  } catch (const std::exception& error) {
    refuse(path, fmt::format("its init threw: {}", first_line(error.what())));
  } catch (...) {
    refuse(path, "its init threw something that is no std::exception");
  }
  return additions;
}

}  // namespace

std::string plugin_path(const std::string& given) {
  std::error_code error;
  const fs::path path = fs::canonical(given, error);
  if (error) {
    refuse(given, fmt::format("there is no such file ({}): give the path of a shared library",
                              error.message()));
  }
  if (!fs::is_regular_file(path, error)) refuse(given, "it is no file: give a shared library");
  return path.string();
}

std::string data_fault(const Plugin& plugin) {
  if (plugin.abi != kPluginAbi) {
    return fmt::format(
        "it has plug-in ABI {}, and this attncheck has {}: build it with this one's "
        "headers",
        plugin.abi, kPluginAbi);
  }
  if (plugin.libtorch == nullptr || std::strcmp(plugin.libtorch, TORCH_VERSION) != 0) {
    return fmt::format(
        "it was built with LibTorch {}, and this attncheck with {}: build it with that",
        plugin.libtorch == nullptr ? "of no version" : plugin.libtorch, TORCH_VERSION);
  }
  if (plugin.layout != kPluginLayout) {
    return fmt::format(
        "the structs of its headers have other sizes ({:016x}, and here {:016x}): "
        "build it with this attncheck's headers and with its compiler flags",
        plugin.layout, kPluginLayout);
  }
  if (plugin.name == nullptr || *plugin.name == '\0') return "it has no name: give it one";
  return plugin.init == nullptr ? "it has no init: give it one" : "";
}

void add_plugin(Registry& registry, const std::string& given) {
  const std::string path = plugin_path(given);
  if (std::ranges::find(registry.plugins, path) != registry.plugins.end()) {
    refuse(path, "it is loaded already: name it once");
  }
  const SharedObject object = open_object(path);
  const auto* plugin = static_cast<const Plugin*>(object.symbol(kPluginSymbol));
  if (plugin == nullptr) {
    refuse(path, fmt::format("it has no symbol `{}`: put ATTNCHECK_PLUGIN into one of its sources",
                             kPluginSymbol));
  }
  if (const std::string fault = data_fault(*plugin); !fault.empty()) refuse(path, fault);
  if (const std::string symbol = object.undefined_function(); !symbol.empty()) {
    refuse(path, load_fault("undefined symbol: " + symbol));
  }
  try {
    admit(registry, brought_by(*plugin, path), path);
  } catch (const NotAdmitted& error) {
    refuse(path, error.what());
  }
  registry.plugins.push_back(path);
}

}  // namespace attncheck
