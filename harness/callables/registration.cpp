#include "harness/callables/registration.h"

#include <algorithm>
#include <array>
#include <utility>

#include "harness/callables/keywords.h"

namespace attncheck {
namespace {

// "package.module:attention", or "folder/file.py:attention".
void require_callable_name(const std::string& name) {
  const size_t colon = name.rfind(':');
  const bool whole = colon != std::string::npos && colon > 0 && colon + 1 < name.size();
  if (!whole || name.find_first_of(" \t\n,'") != std::string::npos) {
    throw BadDescriptions("'" + name + "' is no name of a callable: MODULE:NAME is one");
  }
  constexpr std::array<const char*, 5> kKinds{"mutant", "model", "merge", "collective", "local"};
  const std::string module = name.substr(0, colon);
  if (std::find(kKinds.begin(), kKinds.end(), module) == kKinds.end()) return;
  throw BadDescriptions("the module of '" + name + "' has the name of a kind of subject: give " +
                        "its file, " + module + ".py:" + name.substr(colon + 1));
}

}  // namespace

void add_callable(Registry& registry, const CallableDescription& callable, Implementation subject) {
  require_callable_name(callable.name);
  registry.callables.names.insert(callable.name);
  if (callable.has("return_lse")) registry.callables.with_lse.insert(callable.name);
  registry.implementations.push_back(std::move(subject));
}

void add_callable(Registry& registry, Backend backend) {
  require_callable_name(backend.name);
  registry.callables.names.insert("backend:" + backend.name);
  registry.backends.push_back(std::move(backend));
}

void add_callables(Registry& registry, const CallableDescriptions& all) {
  registry.callables.rank_command = all.rank_command;
  registry.callables.program = all.program;
  registry.callables.packages = all.packages;
  for (const CallableDescription& callable : all.implementations) {
    add_callable(registry, callable, described_implementation(callable));
  }
  for (const CallableDescription& callable : all.backends) {
    add_callable(registry, described_backend(callable));
  }
}

}  // namespace attncheck
