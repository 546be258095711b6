#include "harness/registry.h"

#include <algorithm>
#include <utility>

#include "harness/doing.h"
#include "harness/evaluate_local.h"
#include "harness/evaluate_merge.h"
#include "harness/what_was_thrown.h"
#include "problem/case_text.h"
#include "problem/suggestion.h"

namespace attncheck {
namespace {

constexpr size_t kMostNamed = 100, kFirstNamed = 10;  // of known names in an error

template <typename Entries>
auto find_named(const Entries& entries, const std::string& name) -> decltype(entries.data()) {
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [&](const auto& entry) { return entry.name == name; });
  return found == entries.end() ? nullptr : &*found;
}

// Splits "kind:name"; the kind is empty for an implementation's bare name.
std::pair<std::string, std::string> split_subject(const std::string& impl) {
  const size_t colon = impl.find(':');
  if (colon == std::string::npos) return {"", impl};
  return {impl.substr(0, colon), impl.substr(colon + 1)};
}

std::string list_of(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

// The names that are worth listing for a slip: mutants only for one of them.
std::vector<std::string> names_like(const std::string& impl, std::vector<std::string> names) {
  if (split_subject(impl).first == "mutant") return names;
  std::erase_if(names,
                [](const std::string& name) { return split_subject(name).first == "mutant"; });
  names.push_back("mutant:NAME");
  return names;
}

// Of very many names the first alone: a line of hundreds is read by nobody.
std::string unknown_text(const std::string& kind, const std::string& name,
                         const std::vector<std::string>& known) {
  const bool many = known.size() > kMostNamed;
  const std::vector<std::string> named(known.begin(),
                                       many ? known.begin() + kFirstNamed : known.end());
  const std::string more =
      many ? " and " + std::to_string(known.size() - kFirstNamed) + " more: attncheck list" : "";
  return "unknown " + kind + " '" + name + "'" + suggestion(name, known) +
         " (known: " + list_of(named) + more + ")";
}

std::string without_parameter(const std::string& name) {
  return name.substr(0, name.find(':'));
}

// "backend cudnn_emulated needs a release of LibTorch: cudnn_emulated:2.5, ..."
std::string parameter_text(const BackendFamily& family, const std::string& name) {
  std::vector<std::string> known;
  for (const Backend& backend : family.all) known.push_back(backend.name);
  const std::string what = name == family.name ? "backend '" + name + "' needs "
                                               : "unknown backend '" + name + "': it takes ";
  return what + family.parameter + " (" + list_of(known) + ")";
}

}  // namespace

const Backend* Registry::backend(const std::string& name) const {
  const Backend* found = find_named(backends, name);
  for (const BackendFamily& family : families) {
    if (found == nullptr) found = find_named(family.all, name);
  }
  return found;
}

const Mutant* Registry::mutant(const std::string& name) const {
  return find_named(mutants, name);
}

const Implementation* Registry::implementation(const std::string& impl) const {
  if (const Implementation* own = find_named(implementations, impl)) return own;
  const auto [kind, name] = split_subject(impl);
  const Mutant* found = kind == "mutant" ? mutant(name) : nullptr;
  return found == nullptr ? nullptr : std::get_if<Implementation>(&found->subject);
}

const Collective* Registry::collective(const std::string& impl) const {
  const auto [kind, name] = split_subject(impl);
  if (kind == "collective") return find_named(collectives, name);
  const Mutant* found = kind == "mutant" ? mutant(name) : nullptr;
  return found == nullptr ? nullptr : std::get_if<Collective>(&found->subject);
}

const Merge* Registry::merge(const std::string& impl) const {
  const auto [kind, name] = split_subject(impl);
  if (kind == "merge") return find_named(merges, name);
  const Mutant* found = kind == "mutant" ? mutant(name) : nullptr;
  return found == nullptr ? nullptr : std::get_if<Merge>(&found->subject);
}

const Model* Registry::model(const std::string& impl) const {
  const auto [kind, name] = split_subject(impl);
  if (kind == "model") return find_named(models, name);
  const Mutant* found = kind == "mutant" ? mutant(name) : nullptr;
  return found == nullptr ? nullptr : std::get_if<Model>(&found->subject);
}

const Backend* Registry::backend_of(const Case& c) const {
  const auto [kind, name] = split_subject(c.impl);
  const Mutant* found = kind == "mutant" ? mutant(name) : nullptr;
  const Backend* own = found == nullptr ? nullptr : std::get_if<Backend>(&found->subject);
  return own != nullptr ? own : backend(c.backend);
}

SubjectKind Registry::kind(const std::string& impl) const {
  if (impl == "local") return SubjectKind::local;
  const auto [kind, name] = split_subject(impl);
  const Mutant* found = kind == "mutant" ? mutant(name) : nullptr;
  if (found != nullptr && std::holds_alternative<Backend>(found->subject)) {
    return SubjectKind::local;
  }
  if (merge(impl) != nullptr) return SubjectKind::merge;
  if (model(impl) != nullptr) return SubjectKind::model;
  return collective(impl) != nullptr ? SubjectKind::collective : SubjectKind::implementation;
}

std::vector<std::string> Registry::subject_names() const {
  std::vector<std::string> names;
  for (const Implementation& i : implementations) names.push_back(i.name);
  names.push_back("local");
  for (const Collective& c : collectives) names.push_back("collective:" + c.name);
  for (const Merge& m : merges) names.push_back("merge:" + m.name);
  for (const Model& m : models) names.push_back("model:" + m.name);
  for (const Mutant& m : mutants) names.push_back("mutant:" + m.name);
  return names;
}

std::vector<const Backend*> Registry::listed_backends() const {
  std::vector<const Backend*> listed;
  for (const Backend& backend : backends) listed.push_back(&backend);
  for (const BackendFamily& family : families) {
    for (const std::string& name : family.listed) listed.push_back(find_named(family.all, name));
  }
  return listed;
}

std::vector<std::string> Registry::backend_names() const {
  std::vector<std::string> names;
  for (const Backend* backend : listed_backends()) names.push_back(backend->name);
  return names;
}

std::vector<std::string> Registry::property_names() const {
  std::vector<std::string> names;
  for (const Property& property : properties) names.push_back(property.name);
  return names;
}

std::string Registry::plugin_of(const Case& c) const {
  for (const std::string& name : {c.impl, "backend:" + c.backend}) {
    if (const auto found = origins.find(name); found != origins.end()) return found->second;
  }
  return "";
}

bool Registry::may_refuse_calls(const Case& c) const {
  return callables.names.contains(c.impl) || callables.names.contains("backend:" + c.backend);
}

Support Registry::supports(const Case& c) const {
  const Doing doing("supports() of", c.impl, &c);
  try {
    return ask(c);
  } catch (...) {
    const std::string plugin = plugin_of(c);
    throw SupportsFailed("supports() of '" + c.impl + "' on '" + c.backend + "'" +
                             (plugin.empty() ? "" : " (plug-in '" + plugin + "')") +
                             " threw: " + in_one_line(what_was_thrown()),
                         c);
  }
}

SupportsFailed::SupportsFailed(std::string said, const Case& c)
    : std::runtime_error(said + ", case: " + to_text(c)), said_(std::move(said)) {}

Support Registry::ask(const Case& c) const {
  if (const Collective* subject = collective(c.impl)) return subject->supports(c);
  if (const Merge* subject = merge(c.impl)) return supports_merge(c, *subject);
  const Backend* on = backend_of(c);
  if (on == nullptr) return Support::no("unknown backend '" + c.backend + "'");
  if (const Model* subject = model(c.impl)) return subject->supports(c, *on);
  if (kind(c.impl) == SubjectKind::local) return supports_local(c, *on);
  const Implementation* subject = implementation(c.impl);
  if (subject == nullptr) return Support::no("unknown subject '" + c.impl + "'");
  return subject->supports(c, *on);
}

UnknownName::UnknownName(const std::string& what_kind, const std::string& name,
                         const std::vector<std::string>& known)
    : std::invalid_argument(unknown_text(what_kind, name, known)) {}

void require_backend(const Registry& registry, const std::string& name) {
  if (registry.backend(name) != nullptr) return;
  const std::string bare = without_parameter(name);
  if (const BackendFamily* family = find_named(registry.families, bare)) {
    throw UnknownName(parameter_text(*family, name));
  }
  throw UnknownName("backend", name, registry.backend_names());
}

void require_known(const Registry& registry, const Case& c) {
  const std::vector<std::string> subjects = registry.subject_names();
  if (std::find(subjects.begin(), subjects.end(), c.impl) == subjects.end()) {
    throw UnknownName("impl", c.impl, names_like(c.impl, subjects));
  }
  require_backend(registry, c.backend);
}

}  // namespace attncheck
