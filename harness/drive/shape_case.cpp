#include "harness/drive/shape_case.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "problem/model_shapes.h"

namespace attncheck {
namespace {

constexpr std::array<std::string_view, 11> kOfTheCall{
    "layout=zigzag", "layout=striped", "view=offset",     "view=permuted", "grad",    "dlse",
    "return_lse=0",  "rotate=p2p",     "rotate=alltoall", "order=ur",      "schedule"};

bool of_the_call(const Feature& feature) {
  return std::find(kOfTheCall.begin(), kOfTheCall.end(), feature.name) != kOfTheCall.end();
}

}  // namespace

Case shape_case(const StreamSpec& spec, const Mesh& mesh, const Abilities& abilities,
                const Problem& shape, const Pick& pick) {
  Case c = plain_case(spec, mesh);
  c.problem = scaled(shape, 1.0, 2 * mesh.world());
  c.problem.dtype = spec.dtype;
  c.seed = static_cast<uint64_t>(pick(int64_t{1} << 32));
  for (const Feature* feature : abilities.supported) {
    if (of_the_call(*feature) && pick(100) < feature->percent) feature->set(c, pick);
  }
  return c;
}

}  // namespace attncheck
