#include "cli/manifest.h"

#include <stdexcept>
#include <utility>

#include "cli/usage.h"
#include "harness/callables/registration.h"
#include "harness/doing.h"
#include "harness/gpu_library.h"
#include "harness/plugins/admit.h"
#include "harness/plugins/open_plugin.h"
#include "impl/backends/built_in.h"
#include "impl/backends/cuda_device.h"
#include "plugin/manifest.h"

namespace attncheck::cli {
namespace {

Registry from_manifest() {
  Registry registry;
  Additions additions;
  manifest(additions);
  try {
    admit(registry, std::move(additions), "");
  } catch (const NotAdmitted& error) {
    throw UsageError(std::string("the program's manifest: ") + error.what());
  }
  return registry;
}

// Never destroyed: it outlives what libraries of others have destroyed when the process ends.
Registry& filled_registry() {
  static Registry& registry = *new Registry(from_manifest());
  return registry;
}

// Their paths; never destroyed either.
std::string& loaded_plugins() {
  static std::string& paths = *new std::string;
  return paths;
}

void require_not_absent(const Registry& registry) {
  for (const Backend& absent : absent_backends()) {
    const auto found = registry.origins.find("backend:" + absent.name);
    if (found == registry.origins.end()) continue;
    throw UsageError("--plugin: plug-in '" + found->second + "': the backend '" + absent.name +
                     "' is built in, and not here: give it another name");
  }
}

}  // namespace

const Support& cuda_here() {
  static const Support here = [] {
    const Support loaded = load_cuda();
    return loaded ? cuda_device().here : loaded;
  }();
  return here;
}

const Registry& program_registry() {
  return filled_registry();
}

void load_plugins(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    try {
      add_plugin(filled_registry(), path);
    } catch (const PluginRefused& error) {
      throw UsageError(std::string("--plugin: ") + error.what());
    }
  }
  if (paths.empty()) return;
  require_not_absent(filled_registry());
  for (const std::string& plugin : filled_registry().plugins) {
    loaded_plugins() += (loaded_plugins().empty() ? "" : "', '") + plugin;
  }
}

void name_what_ends() {
  if (!loaded_plugins().empty()) new Doing("the end, with plug-ins", loaded_plugins());  // leaked
}

void load_callables(const std::string& path) {
  if (path.empty()) return;
  if (!loaded_plugins().empty()) {
    throw UsageError("--plugin: ranks of callables load no plug-in: ask for '" + loaded_plugins() +
                     "' and for callables in two runs");
  }
  try {
    add_callables(filled_registry(), descriptions_in(path));
  } catch (const BadDescriptions& error) {
    throw UsageError("--callables: " + path + ": " + error.what());
  }
}

const std::vector<Backend>& absent_backends() {
  static const std::vector<Backend> absent = cuda_here() ? std::vector<Backend>{} : cuda_backends();
  return absent;
}

void require_here(const std::string& backend) {
  for (const Backend& absent : absent_backends()) {
    if (absent.name != backend) continue;
    throw std::runtime_error("not_run: backend " + backend + ": " + cuda_here().reason);
  }
}

std::vector<std::string> subject_names(const Registry& registry) {
  std::vector<std::string> names;
  for (const std::string& name : registry.subject_names()) {
    if (!name.starts_with("mutant:")) names.push_back(name);
  }
  return names;
}

}  // namespace attncheck::cli
