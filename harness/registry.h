#pragma once

#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "impl/contract/backend.h"
#include "impl/contract/backend_family.h"
#include "impl/contract/collective.h"
#include "impl/contract/implementation.h"
#include "impl/contract/merge.h"
#include "impl/contract/model.h"
#include "impl/contract/mutant.h"
#include "impl/contract/support.h"
#include "problem/case.h"
#include "properties/property.h"
#include "properties/subject_kind.h"

namespace attncheck {

// What the program must know of callables beside what every subject says of itself.
struct Callables {
  std::vector<std::string> rank_command;  // what is started for a rank; empty: the program itself
  std::string program = "attncheck";      // what a line that runs a case again begins with
  std::map<std::string, std::string> packages;  // that the callables come from, and their versions
  // Subjects as `impl=` takes them, and "backend:NAME": a call may refuse what they do not refuse
  // before. The set: those that return a log-sum-exp.
  std::set<std::string> names, with_lse;
};

// What a program knows by name: filled by its manifest, never by static registrars.
struct Registry {
  std::vector<Implementation> implementations;
  std::vector<Backend> backends;
  std::vector<BackendFamily> families = {};
  std::vector<Collective> collectives;
  std::vector<Merge> merges;
  std::vector<Model> models;
  std::vector<Mutant> mutants;
  std::vector<Property> properties = {};  // in the order in which they are reported
  // The plug-in (its path) that brought each name that is not the program's own: a subject as
  // `impl=` takes it, "backend:NAME", "property:NAME".
  std::map<std::string, std::string> origins = {};
  std::vector<std::string> plugins = {};  // their paths, in the order in which they were loaded
  // Subjects in another language (harness/callables/), where there are any.
  Callables callables = {};

  // nullptr when there is none of that name. A subject is looked up by a case's `impl=`, mutants
  // included.
  const Backend* backend(const std::string& name) const;
  const Implementation* implementation(const std::string& impl) const;
  const Collective* collective(const std::string& impl) const;
  const Merge* merge(const std::string& impl) const;
  const Model* model(const std::string& impl) const;
  const Mutant* mutant(const std::string& name) const;
  // The backend that the case's subject runs on: a mutant that is a backend is its own.
  const Backend* backend_of(const Case& c) const;

  // What `impl=` names; an unknown name counts as an implementation.
  SubjectKind kind(const std::string& impl) const;

  // Every name that `impl=` takes.
  std::vector<std::string> subject_names() const;
  // Every backend that stands in a list: those without a parameter, then the listed ones of each
  // family. backend() knows more: a family's for every parameter.
  std::vector<const Backend*> listed_backends() const;
  std::vector<std::string> backend_names() const;
  std::vector<std::string> property_names() const;

  // The plug-in that the case's subject, or else its backend, came from; empty: neither did.
  std::string plugin_of(const Case& c) const;

  // Whether a call of the case's subject, or of its backend, may refuse what supports() does not.
  bool may_refuse_calls(const Case& c) const;

  // Whether the case's subject supports it on the case's backend. An unknown subject or backend is
  // "no". Throws SupportsFailed where the subject or the backend throws.
  Support supports(const Case& c) const;

 private:
  Support ask(const Case& c) const;
};

// A supports() that cannot be relied on: nobody can tell then whether the case is one. It threw, or
// it answers differently when it is asked again.
class SupportsFailed : public std::runtime_error {
 public:
  // `said` names subject, backend and plug-in, and says what was wrong; what() adds the case.
  SupportsFailed(std::string said, const Case& c);
  const std::string& said() const { return said_; }

 private:
  std::string said_;
};

// A name that nobody has: what() says which names there are, and the nearest.
class UnknownName : public std::invalid_argument {
 public:
  UnknownName(const std::string& what_kind, const std::string& name,
              const std::vector<std::string>& known);
  explicit UnknownName(const std::string& text) : std::invalid_argument(text) {}
};

// Throws UnknownName when the registry has no backend of that name. A family's name without a
// parameter, or with one that it does not take, is answered with those that it takes.
void require_backend(const Registry& registry, const std::string& name);

// Throws UnknownName when the registry lacks the case's subject or backend.
void require_known(const Registry& registry, const Case& c);

}  // namespace attncheck
