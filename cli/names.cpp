#include "cli/names.h"

#include <algorithm>

#include "cli/usage.h"

namespace attncheck::cli {
namespace {

bool is_among(const std::string& name, const std::vector<std::string>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

void require_name(const std::string& kind, const std::string& name,
                  const std::vector<std::string>& known) {
  if (!is_among(name, known)) throw UsageError(UnknownName(kind, name, known).what());
}

std::vector<std::string> chosen(const std::string& kind, const std::vector<std::string>& given,
                                const std::vector<std::string>& known,
                                const std::vector<std::string>& defaults) {
  if (given.empty()) return defaults;
  for (const std::string& name : given) {
    if (name != "all") require_name(kind, name, known);
  }
  std::vector<std::string> names;
  for (const std::string& name : given) {
    if (name == "all") return known;
    if (!is_among(name, names)) names.push_back(name);
  }
  return names;
}

void require_ranks_know(const Registry& registry, const std::string& impl) {
  if (registry.callables.rank_command.empty()) return;
  if (!impl.starts_with("mutant:")) return;
  throw UsageError("impl " + impl +
                   ": ranks of callables know no mutants: ask for mutants and for " +
                   "callables in two runs");
}

std::vector<std::string> chosen_backends(const Registry& registry,
                                         const std::vector<std::string>& given,
                                         const std::vector<std::string>& defaults) {
  std::vector<std::string> known = registry.backend_names();
  for (const std::string& name : given) {
    if (name == "all" || is_among(name, known)) continue;
    try {
      require_backend(registry, name);
    } catch (const UnknownName& error) {
      throw UsageError(error.what());
    }
    known.push_back(name);
  }
  return chosen("backend", given, known, defaults);
}

std::vector<std::string> transport_names() {
  return {"sim", "gloo", "nccl"};
}

std::vector<std::string> dtype_names() {
  return {"f64", "f32", "bf16", "f16"};
}

PropertyList chosen_properties(const Registry& registry, const std::vector<std::string>& given) {
  const std::vector<std::string> known = registry.property_names();
  const std::vector<std::string> names = chosen("property", given, known, known);
  PropertyList properties;
  for (const Property& property : registry.properties) {
    if (is_among(property.name, names)) properties.push_back(&property);
  }
  return properties;
}

std::vector<Mesh> mesh_arguments(const std::vector<std::string>& texts) {
  std::vector<Mesh> meshes;
  for (const std::string& text : texts) {
    try {
      const Mesh mesh = parse_mesh(text);
      if (std::find(meshes.begin(), meshes.end(), mesh) == meshes.end()) meshes.push_back(mesh);
    } catch (const std::invalid_argument& error) {
      throw UsageError(error.what());
    }
  }
  return meshes;
}

}  // namespace attncheck::cli
