#include "properties/checks/applies.h"
#include "properties/checks/judging.h"
#include "properties/checks/state.h"
#include "properties/checks/two_runs.h"

namespace attncheck {
namespace {

constexpr int kMostRanks = 64;  // twice as many are launched

Support needs_room(const Case& c) {
  if (c.mesh.world() <= kMostRanks / 2) return Support::yes();
  return Support::no("a world of twice the ranks of the mesh is too large");
}

Verdict works_embedded(const Case& c, Lab& lab) {
  const Request alone = base_request(c);
  Request embedded = alone;
  embedded.embedded = true;
  const Observation &of_alone = lab.observe(alone), &of_embedded = lab.observe(embedded);
  if (auto failed = error_of_second_alone(of_alone, of_embedded, "the mesh in a larger world")) {
    return *failed;
  }
  return same_result(lab, alone, of_alone, of_embedded, all_tensors(c),
                     "between a mesh that is the whole world and one at its odd ranks");
}

}  // namespace

Property subgroups_of_a_larger_world_work() {
  Property property;
  property.name = "subgroups_of_a_larger_world_work";
  property.explains = "a mesh within a larger world gives what it gives as the whole world";
  property.applies = [](const Case& c) {
    return all_of({needs_attention(c), needs_world(c), needs_room(c)});
  };
  property.check = works_embedded;
  return property;
}

}  // namespace attncheck
