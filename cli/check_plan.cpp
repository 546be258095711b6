#include "cli/check_plan.h"

#include <algorithm>

#include "cli/manifest.h"
#include "cli/names.h"
#include "cli/usage.h"
#include "harness/drive/features.h"
#include "impl/backends/dispatcher.h"
#include "problem/case_text.h"
#include "problem/model_shapes.h"

namespace attncheck::cli {
namespace {

constexpr int64_t kSimCases = 100;            // by stream
constexpr int64_t kProcessCasesPerMesh = 10;  // by stream
constexpr int64_t kModelShare = 3;            // of these, one in so many: a model's case costs more

using Names = std::vector<std::string>;

const Names kSimMeshes{"1x1", "2x1", "3x1", "4x1", "1x2", "1x3", "1x4", "2x2", "3x2", "2x3"};
const Names kWideDTypes{"f64", "f32"}, kNarrowDTypes{"bf16", "f16"};
const Names kGlooMeshes{"2x2", "3x1", "1x4"};
const Names kGpuMeshes{"1x1", "2x1", "1x2"};  // over Gloo, on one GPU
const Names kNcclMeshes{"2x1", "1x2", "2x2", "4x1", "1x4"};

// Lengths are rounded to a multiple of what each mesh needs later on.
std::vector<Problem> scaled_shapes(const CheckArguments& arguments) {
  if (arguments.scale && *arguments.scale <= 0) {
    throw UsageError("--scale: 0 leaves no token: give a factor above 0, e.g. 0.0625");
  }
  std::vector<Problem> shapes;
  for (const std::string& name : chosen("shape", arguments.shapes, model_shape_names(), {})) {
    shapes.push_back(scaled(model_shape(name).problem, arguments.scale.value_or(1.0), 1));
  }
  return shapes;
}

// All that need no parameter but the dispatcher, which computes with one of the others.
Names default_backends(const Registry& registry) {
  Names names;
  for (const Backend& backend : registry.backends) names.push_back(backend.name);
  std::erase(names, auto_dispatcher().backend().name);
  return names;
}

// Mutants are named one by one, and only then stand among the known names.
Names known_subjects(const Registry& registry, const Names& given) {
  const bool mutants = std::any_of(given.begin(), given.end(), [](const std::string& name) {
    return name.starts_with("mutant:");
  });
  return mutants ? registry.subject_names() : subject_names(registry);
}

// What --impl names, and --model without the "model:".
Names asked_subjects(const CheckArguments& arguments, const Registry& registry) {
  Names known, names = arguments.impls;
  for (const Model& model : registry.models) known.push_back(model.name);
  for (const std::string& name : chosen("model", arguments.models, known, {})) {
    names.push_back("model:" + name);
  }
  return names;
}

bool takes_shapes(SubjectKind kind) {
  return needs_backend(kind) && kind != SubjectKind::model;
}

class Planner {
 public:
  Planner(const CheckArguments& arguments, const Registry& registry, Lab& lab)
      : arguments_(arguments), registry_(registry), lab_(lab) {
    plan_.properties = chosen_properties(registry, arguments.properties);
    asked_ = asked_subjects(arguments, registry);
    for (const std::string& backend : arguments.backends) require_here(backend);
    impls_ = chosen("impl", asked_, known_subjects(registry, asked_), subject_names(registry));
    backends_ = chosen_backends(registry, arguments.backends, default_backends(registry));
    transports_ = chosen("transport", arguments.transports, transport_names(), {});
    dtypes_ = chosen("dtype", arguments.dtypes, dtype_names(), kWideDTypes);
    mesh_arguments(arguments.meshes);
    for (const std::string& impl : impls_) require_ranks_know(registry, impl);
    shapes_ = scaled_shapes(arguments);
  }

  CheckPlan make() {
    for (const std::string& transport : transports_) {
      for (const std::string& impl : impls_) add_subject(impl, transport);
    }
    require_all_used();
    return std::move(plan_);
  }

 private:
  SubjectKind kind_of(const std::string& impl) const {
    Case c;
    c.impl = impl;
    return lab_.kind(c);
  }

  bool has_lse(const std::string& impl, const std::string& backend) const {
    const Callables& callables = registry_.callables;
    if (callables.names.contains(impl)) return callables.with_lse.contains(impl);
    Case c;
    c.backend = backend;
    const BackendContract* contract = lab_.contract(c);
    return contract == nullptr || contract->lse;
  }

  std::vector<Mesh> meshes_of(const std::string& transport) const {
    if (!arguments_.meshes.empty()) return mesh_arguments(arguments_.meshes);
    if (transport == "sim") return mesh_arguments(kSimMeshes);
    if (transport == "nccl") return mesh_arguments(kNcclMeshes);
    return mesh_arguments(arguments_.ranks.device == "cuda" ? kGpuMeshes : kGlooMeshes);
  }

  void add_subject(const std::string& impl, const std::string& transport) {
    const SubjectKind kind = kind_of(impl);
    if (!shapes_.empty() && !takes_shapes(kind)) return;
    for (const std::string& backend : backends_of(impl, kind)) {
      for (const std::string& dtype : dtypes_of(kind, backend)) {
        StreamSpec spec;
        spec.impl = impl;
        spec.backend = backend;
        spec.transport = transport;
        spec.dtype = parse_dtype(dtype);
        spec.kind = kind;
        spec.lse = has_lse(impl, backend);
        spec.shapes = shapes_;
        spec.refuses_calls = registry_.may_refuse_calls(plain_case(spec, {}));
        add_stream(std::move(spec));
      }
    }
  }

  // Implementations are judged on every backend; a model asks about its sharding, on one, and a
  // callable has its own.
  Names backends_of(const std::string& impl, SubjectKind kind) const {
    const bool on_one = kind == SubjectKind::model || registry_.callables.names.contains(impl);
    const bool every = !on_one || !arguments_.backends.empty();
    return needs_backend(kind) && every ? backends_ : Names{"math"};
  }

  // Unless told otherwise, the wide ones; of a backend that takes none of these, the narrow ones.
  Names dtypes_of(SubjectKind kind, const std::string& backend) const {
    if (!arguments_.dtypes.empty() || !needs_backend(kind)) return dtypes_;
    const Backend* on = registry_.backend(backend);
    Problem plain = plain_case({}, {}).problem;
    const bool wide = std::any_of(dtypes_.begin(), dtypes_.end(), [&](const std::string& dtype) {
      plain.dtype = parse_dtype(dtype);
      try {
        return on->supports(plain).ok;
      } catch (...) {
        return true;  // its stream says what is wrong
      }
    });
    return wide ? dtypes_ : kNarrowDTypes;
  }

  int64_t default_cases(const StreamSpec& spec) const {
    const auto meshes = static_cast<int64_t>(spec.meshes.size());
    const int64_t cases = spec.transport == "sim" ? kSimCases : kProcessCasesPerMesh * meshes;
    return spec.kind == SubjectKind::model ? cases / kModelShare : cases;
  }

  // One whose supports() throws has its stream, which says so: the others are checked.
  Support answer(const StreamSpec& spec, const Mesh& mesh) const {
    try {
      return lab_.supports(plain_case(spec, mesh));
    } catch (const SupportsFailed&) {
      return Support::yes();
    }
  }

  void add_stream(StreamSpec spec) {
    const std::vector<Mesh> asked = meshes_of(spec.transport);
    for (const Mesh& mesh : asked) {
      const Support plain = answer(spec, mesh);
      if (plain) spec.meshes.push_back(mesh);
      if (!plain) refusals_.push_back({spec, mesh, plain.reason});
    }
    if (spec.meshes.empty() || !speaks(spec)) return;
    int64_t cases = default_cases(spec);
    if (!shapes_.empty()) cases = static_cast<int64_t>(shapes_.size() * spec.meshes.size());
    plan_.streams.push_back({std::move(spec), arguments_.cases.value_or(cases)});
  }

  // Whether any of the properties is about this kind of subject.
  bool speaks(const StreamSpec& spec) const {
    return !speaking_of(spec.kind, plan_.properties).empty();
  }

  std::string reason_of(const std::function<bool(const StreamSpec&, const Mesh&)>& matches) const {
    for (const Refusal& refusal : refusals_) {
      if (matches(refusal.spec, refusal.mesh)) return refusal.spec.impl + ": " + refusal.reason;
    }
    return shapes_.empty() ? "no property that was asked for is about it"
                           : "no property that was asked for is about it, or it has no attention "
                             "for --shapes";
  }

  // What was asked for by name must be in some stream.
  void require_used(const std::string& what, const Names& given, const Names& names,
                    const std::function<bool(const StreamSpec&, const std::string&)>& has) const {
    if (given.empty()) return;
    for (const std::string& name : names) {
      const bool used =
          std::any_of(plan_.streams.begin(), plan_.streams.end(),
                      [&](const PlannedStream& planned) { return has(planned.spec, name); });
      if (used || std::find(given.begin(), given.end(), "all") != given.end()) continue;
      throw UsageError(
          what + " " + name + " cannot be checked here: " +
          reason_of([&](const StreamSpec& spec, const Mesh&) { return has(spec, name); }));
    }
  }

  void require_all_used() const {
    for (const Mesh& mesh : mesh_arguments(arguments_.meshes)) {
      const bool used = std::any_of(
          plan_.streams.begin(), plan_.streams.end(), [&](const PlannedStream& planned) {
            const std::vector<Mesh>& meshes = planned.spec.meshes;
            return std::find(meshes.begin(), meshes.end(), mesh) != meshes.end();
          });
      if (used) continue;
      throw UsageError("mesh " + to_text(mesh) + " fits none of the subjects: " +
                       reason_of([&](const StreamSpec&, const Mesh& m) { return m == mesh; }));
    }
    require_used("impl", asked_, impls_,
                 [](const StreamSpec& s, const std::string& n) { return s.impl == n; });
    require_used("backend", arguments_.backends, backends_,
                 [](const StreamSpec& s, const std::string& n) { return s.backend == n; });
    require_used("dtype", arguments_.dtypes, dtypes_,
                 [](const StreamSpec& s, const std::string& n) { return to_text(s.dtype) == n; });
    if (plan_.streams.empty()) throw UsageError("nothing that was asked for can be checked");
  }

  struct Refusal {
    StreamSpec spec;
    Mesh mesh;
    std::string reason;
  };

  const CheckArguments& arguments_;
  const Registry& registry_;
  Lab& lab_;
  Names asked_;  // subjects by name
  Names impls_, backends_, transports_, dtypes_;
  std::vector<Problem> shapes_;
  std::vector<Refusal> refusals_;
  CheckPlan plan_;
};

}  // namespace

CheckPlan make_plan(const CheckArguments& arguments, const Registry& registry, Lab& lab) {
  return Planner(arguments, registry, lab).make();
}

}  // namespace attncheck::cli
