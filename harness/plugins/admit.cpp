#include "harness/plugins/admit.h"

#include <algorithm>
#include <cctype>
#include <type_traits>
#include <utility>

#include "problem/case_text.h"

namespace attncheck {
namespace {

// Words of a list flag, and of a case's `impl=`.
bool is_reserved(const std::string& name) {
  return name == "all" || name == "none" || name == "local";
}

bool is_name(const std::string& name) {
  return !name.empty() && !is_reserved(name) && std::ranges::all_of(name, [](unsigned char c) {
    return std::isalnum(c) || c == '_' || c == '-' || c == '.';
  });
}

bool is_among(const std::string& name, const std::vector<std::string>& names) {
  return std::ranges::find(names, name) != names.end();
}

std::vector<std::string> every_backend(const Registry& registry) {
  std::vector<std::string> names;
  for (const Backend& backend : registry.backends) names.push_back(backend.name);
  for (const BackendFamily& family : registry.families) {
    names.push_back(family.name);
    for (const Backend& backend : family.all) names.push_back(backend.name);
  }
  return names;
}

// Adds entries one by one, so that two of one plug-in cannot share a name either.
class Admission {
 public:
  Admission(Registry registry, std::string plugin)
      : registry_(std::move(registry)), plugin_(std::move(plugin)) {}

  Registry take(Additions additions) {
    add(registry_.properties, std::move(additions.properties));
    add(registry_.backends, std::move(additions.backends));
    add(registry_.families, std::move(additions.families));
    add(registry_.implementations, std::move(additions.implementations));
    add(registry_.collectives, std::move(additions.collectives));
    add(registry_.merges, std::move(additions.merges));
    add(registry_.models, std::move(additions.models));
    add(registry_.mutants, std::move(additions.mutants));
    return std::move(registry_);
  }

 private:
  template <typename Entry>
  void add(std::vector<Entry>& entries, std::vector<Entry> more) {
    for (Entry& entry : more) {
      require(entry);
      if constexpr (std::is_same_v<Entry, Property>) entry.origin = plugin_;
      entries.push_back(std::move(entry));
    }
  }

  void require_name(const std::string& kind, const std::string& name) const {
    if (is_name(name)) return;
    throw NotAdmitted("the " + kind + " '" + name + "' has no name that can be used" +
                      (is_reserved(name) ? ": that word is taken for all, none or a backend alone"
                                         : ": give it one of letters, digits, '_', '-' and '.'"));
  }

  // `key`: the name as `origins` has it.
  void claim(const std::string& kind, const std::string& name, const std::string& key,
             const std::vector<std::string>& known) {
    if (!is_among(key, known)) {
      if (!plugin_.empty()) registry_.origins[key] = plugin_;
      return;
    }
    const auto found = registry_.origins.find(key);
    const std::string by = found == registry_.origins.end() ? "is built in"
                           : found->second == plugin_       ? "is brought twice"
                                                      : "came with plug-in '" + found->second + "'";
    throw NotAdmitted("the " + kind + " '" + name + "' " + by + ": give it another name");
  }

  void claim_subject(const std::string& kind, const std::string& name) {
    require_name(kind, name);
    claim(kind, name, kind == "implementation" ? name : kind + ":" + name,
          registry_.subject_names());
  }

  void claim_backend(const std::string& name) {
    std::vector<std::string> known;
    for (const std::string& backend : every_backend(registry_))
      known.push_back("backend:" + backend);
    claim("backend", name, "backend:" + name, known);
  }

  template <typename Function>
  void require_function(const std::string& what, const char* member,
                        const Function& function) const {
    if (!function) throw NotAdmitted("the " + what + " has no `" + member + "`: give it one");
  }

  void require(const Property& property) {
    require_name("property", property.name);
    std::vector<std::string> known;
    for (const std::string& name : registry_.property_names()) known.push_back("property:" + name);
    claim("property", property.name, "property:" + property.name, known);
    const std::string what = "property '" + property.name + "'";
    require_function(what, "applies", property.applies);
    require_function(what, "check", property.check);
    if (property.subjects.empty()) throw NotAdmitted("the " + what + " speaks of no `subjects`");
  }

  void require_functions(const Backend& backend) const {
    const std::string what = "backend '" + backend.name + "'";
    require_function(what, "supports", backend.supports);
    require_function(what, "forward", backend.forward);
    require_function(what, "backward", backend.backward);
  }

  void require(const Backend& backend) {
    require_name("backend", backend.name);
    claim_backend(backend.name);
    require_functions(backend);
  }

  void require(const BackendFamily& family) {
    require_name("backend family", family.name);
    claim_backend(family.name);
    std::vector<std::string> full;
    for (const Backend& backend : family.all) {
      const std::string start = family.name + ":";
      if (!backend.name.starts_with(start) || !is_name(backend.name.substr(start.size()))) {
        throw NotAdmitted("the backend '" + backend.name + "' of a family must be named '" + start +
                          "' and a parameter");
      }
      claim_backend(backend.name);
      require_functions(backend);
      full.push_back(backend.name);
    }
    for (const std::string& name : family.listed) {
      if (!is_among(name, full)) {
        throw NotAdmitted("the backend family '" + family.name + "' lists '" + name +
                          "', which it does not have");
      }
    }
  }

  void require_functions(const Implementation& subject) const {
    const std::string what = "implementation '" + subject.name + "'";
    require_function(what, "supports", subject.supports);
    require_function(what, "attention", subject.attention);
  }

  void require_functions(const Collective& subject) const {
    const std::string what = "collective '" + subject.name + "'";
    require_function(what, "supports", subject.supports);
    require_function(what, "input_shape", subject.input_shape);
    require_function(what, "output_shape", subject.output_shape);
    require_function(what, "apply", subject.apply);
  }

  void require_functions(const Merge& subject) const {
    const std::string what = "merge '" + subject.name + "'";
    require_function(what, "supports", subject.supports);
    require_function(what, "apply", subject.apply);
  }

  void require_functions(const Model& subject) const {
    const std::string what = "model '" + subject.name + "'";
    require_function(what, "supports", subject.supports);
    require_function(what, "forward", subject.forward);
  }

  void require(const Implementation& subject) {
    claim_subject("implementation", subject.name);
    require_functions(subject);
  }

  void require(const Collective& subject) {
    claim_subject("collective", subject.name);
    require_functions(subject);
  }

  void require(const Merge& subject) {
    claim_subject("merge", subject.name);
    require_functions(subject);
  }

  void require(const Model& subject) {
    claim_subject("model", subject.name);
    require_functions(subject);
  }

  void require(const Mutant& mutant) {
    claim_subject("mutant", mutant.name);
    std::visit([this](const auto& subject) { require_functions(subject); }, mutant.subject);
    const std::string what = "the mutant '" + mutant.name + "' ";
    if (!is_among(mutant.property, registry_.property_names())) {
      throw NotAdmitted(what + "is to be caught by '" + mutant.property +
                        "', which is no property that the program knows");
    }
    if (mutant.smallest.impl != "mutant:" + mutant.name) {
      throw NotAdmitted(what + "has a smallest case of impl=" + mutant.smallest.impl +
                        ": it must be of impl=mutant:" + mutant.name);
    }
  }

  Registry registry_;
  std::string plugin_;
};

bool is_empty(const Additions& a) {
  return a.implementations.empty() && a.backends.empty() && a.families.empty() &&
         a.collectives.empty() && a.merges.empty() && a.models.empty() && a.mutants.empty() &&
         a.properties.empty();
}

}  // namespace

void admit(Registry& registry, Additions additions, const std::string& plugin) {
  if (!plugin.empty() && is_empty(additions)) {
    throw NotAdmitted("its init added nothing: add an implementation, a backend, a property, ...");
  }
  registry = Admission(registry, plugin).take(std::move(additions));
}

}  // namespace attncheck
