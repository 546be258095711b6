#include <algorithm>

#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/manifest.h"
#include "cli/names.h"
#include "cli/show.h"
#include "cli/usage.h"
#include "harness/drive/support_table.h"
#include "impl/backends/built_in.h"
#include "problem/model_shapes.h"

namespace attncheck::cli {
namespace {

void print_line(const std::string& name, const std::string& text) {
  show((text.empty() ? name : fmt::format("{:<52}  {}", name, text)) + "\n");
}

// "from /a/b.so", of what a plug-in brought.
std::string origin(const Registry& registry, const std::string& key) {
  const auto found = registry.origins.find(key);
  return found == registry.origins.end() ? "" : "from " + found->second;
}

void list_mutants(const Registry& registry) {
  for (const Mutant& mutant : registry.mutants) {
    const std::string equivalent =
        mutant.equivalent.empty() ? "" : "; equivalent: " + mutant.equivalent;
    show(fmt::format("{:<36}  {:<50}  {} ({}){}\n", mutant.name, mutant.property, mutant.fault,
                     mutant.source, equivalent));
  }
}

void list_properties(const Registry& registry) {
  for (const Property& property : registry.properties) print_line(property.name, property.explains);
}

void list_shapes() {
  for (const ModelShape& shape : model_shapes()) {
    const Problem& p = shape.problem;
    fmt::print("{:<12}  q={} h={} hkv={} d={}{}  {}\n", shape.name, p.q_len, p.heads, p.kv_heads,
               p.head_dim, p.causal ? " causal=1" : "", shape.what);
  }
}

// The dtype that a table of support asks about: float64, or what the backend takes instead.
DType dtype_of(const Backend& backend) {
  Problem problem;
  problem.q_len = problem.kv_len = 2;
  problem.head_dim = problem.v_head_dim = 8;
  return backend.supports(problem) ? DType::f64 : DType::bf16;
}

// The tables are the same on every machine: docs/cudnn.md has those of CUDA's backends.
bool is_of_cuda(const std::string& name) {
  const std::vector<Backend> of_cuda = cuda_backends();
  return std::any_of(of_cuda.begin(), of_cuda.end(),
                     [&](const Backend& backend) { return backend.name == name; });
}

void list_support(const Registry& registry) {
  std::vector<BackendColumn> backends;
  for (const Backend* backend : registry.listed_backends()) {
    if (is_of_cuda(backend->name)) continue;
    backends.push_back({backend->name, backend->contract.lse, dtype_of(*backend)});
  }
  const SupportsCase supports = [&](const Case& c) { return registry.supports(c); };
  for (const Implementation& implementation : registry.implementations) {
    fmt::print("### {}\n\n{}\n", implementation.name,
               support_table(implementation.name, backends, supports));
  }
}

}  // namespace

int list_command(const std::string& what) {
  require_name(
      "list", what,
      {"impls", "models", "backends", "properties", "mutants", "transports", "shapes", "support"});
  const Registry& registry = program_registry();
  if (what == "mutants") list_mutants(registry);
  if (what == "properties") list_properties(registry);
  if (what == "support") list_support(registry);
  if (what == "impls") {
    for (const std::string& name : subject_names(registry))
      print_line(name, origin(registry, name));
  }
  if (what == "models") {
    for (const Model& model : registry.models) {
      print_line(model.name, origin(registry, "model:" + model.name));
    }
  }
  if (what == "backends") {
    for (const std::string& name : registry.backend_names()) {
      print_line(name, origin(registry, "backend:" + name));
    }
    for (const Backend& backend : absent_backends()) {
      print_line(backend.name, "not here: " + backend.supports({}).reason);
    }
  }
  if (what == "shapes") list_shapes();
  if (what == "transports") {
    fmt::print(
        "sim   ranks as threads of this process, one at a time\n"
        "gloo  ranks as processes, over Gloo, tensors in CPU memory or on a GPU\n"
        "nccl  ranks as processes with a GPU each, over NCCL\n");
  }
  return kHeld;
}

}  // namespace attncheck::cli
