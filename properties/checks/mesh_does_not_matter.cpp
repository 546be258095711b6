#include <fmt/format.h>

#include "problem/case_text.h"
#include "properties/checks/applies.h"
#include "properties/checks/invariance.h"
#include "properties/checks/judging.h"
#include "properties/compare.h"

namespace attncheck {
namespace {

Case on_mesh(const Case& c, Mesh mesh) {
  Case other = c;
  mesh.order = c.mesh.order;
  other.mesh = mesh;
  if (mesh.world() == 1) {
    other.problem.shards.clear();
    other.schedule.clear();
  }
  return other;
}

std::vector<Case> other_meshes(const Case& c, Lab& lab) {
  std::vector<Mesh> meshes = factorisations(c.mesh.world());
  meshes.push_back(Mesh{});
  std::vector<Case> others;
  for (const Mesh& mesh : meshes) {
    const Case other = on_mesh(c, mesh);
    if (other.mesh != c.mesh && lab.supports(other)) others.push_back(other);
  }
  return others;
}

Verdict agrees_with(const Case& c, const Case& other, Lab& lab) {
  const Request here = base_request(c), there = base_request(other);
  const Observation &of_here = lab.observe(here), &of_there = lab.observe(there);
  const std::string mesh = to_text(other.mesh);
  return judge_each(of_here, all_tensors(c), [&](const std::string& tensor) {
    if (const auto nothing = nothing_to_judge(of_there, tensor)) {
      return Verdict::not_run("on mesh " + mesh + ": " + nothing->reason);
    }
    const at::Tensor whole = assemble(there, of_there, tensor);
    if (!whole.defined() || whole.sizes() != value_of(lab.expected(here), tensor).sizes()) {
      return Verdict::not_run(fmt::format("{} on mesh {} has not the right shape", tensor, mesh));
    }
    const at::Tensor bound =
        bound_of(lab.expected(here), tensor).add(bound_of(lab.expected(there), tensor));
    return compared_with("that of mesh " + mesh,
                         compare_shards(here, of_here, tensor, whole, bound));
  });
}

Verdict meshes_agree(const Case& c, Lab& lab) {
  const std::vector<Case> others = other_meshes(c, lab);
  if (others.empty()) return Verdict::unsupported("the subject supports no other mesh");
  Verdict worst = agrees_with(c, others.front(), lab);
  for (size_t i = 1; i < others.size(); ++i) worst = worse(worst, agrees_with(c, others[i], lab));
  return worst;
}

}  // namespace

Property mesh_does_not_matter() {
  Property property;
  property.name = "mesh_does_not_matter";
  property.explains = "every factorisation of the world, and one rank, give the same result";
  property.applies = [](const Case& c) { return all_of({needs_attention(c), needs_world(c)}); };
  property.check = meshes_agree;
  return property;
}

}  // namespace attncheck
