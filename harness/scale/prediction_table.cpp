#include "harness/scale/prediction_table.h"

#include <fmt/format.h>

#include "harness/scale/record.h"
#include "impl/contract/context_parallel_config.h"
#include "problem/model_shapes.h"
#include "problem/next_multiple.h"

namespace attncheck::scale {
namespace {

Case case_of(const Problem& problem, const Mesh& mesh, Rotate rotate) {
  Case c;
  c.impl = to_text(method_for(mesh));
  c.mesh = mesh;
  c.problem = problem;
  c.problem.q_len = c.problem.kv_len = next_multiple(problem.q_len, mesh.world());
  c.return_lse = false;
  c.rotate = rotate;
  return c;
}

// Without a causal diagonal all ranks do the same at the same time: one stands for all, and hears
// from itself what it would hear from its neighbour.
std::vector<Script> scripts_of(const Registry& registry, const Case& c) {
  std::vector<Script> scripts;
  const int ranks = c.problem.causal ? c.mesh.ring : 1;
  for (int ring = 0; ring < ranks; ++ring) {
    scripts.push_back(record(registry, c, c.mesh.rank(ring, 0)));
  }
  if (c.problem.causal) return scripts;
  for (Exchange& exchange : scripts.front().exchanges) exchange.peer = 0;
  return scripts;
}

Row row_of(const Registry& registry, const std::string& name, const Case& c,
           const Machine& machine) {
  Row row{name, c, {}, ""};
  if (const Support supported = supports(registry, c); !supported) {
    row.why_not = supported.reason;
  } else if (c.problem.causal && c.mesh.ring > kLargestCausalRing) {
    row.why_not =
        fmt::format("a causal ring of more than {} ranks is not predicted", kLargestCausalRing);
  } else {
    row.prediction = predict(scripts_of(registry, c), c.mesh, machine);
  }
  return row;
}

}  // namespace

PredictionTable predict_all(const Registry& registry, const Question& question,
                            const std::function<void(const Case&)>& progress) {
  PredictionTable table;
  table.question = question;
  for (const std::string& name : question.shapes) {
    for (int world : question.worlds) {
      for (const Mesh& mesh : factorisations(world)) {
        for (Rotate rotate : {Rotate::allgather, Rotate::p2p}) {
          if (mesh.ring == 1 && rotate == Rotate::p2p) continue;
          const Case c = case_of(model_shape(name).problem, mesh, rotate);
          progress(c);
          table.rows.push_back(row_of(registry, name, c, question.machine));
        }
      }
    }
  }
  return table;
}

}  // namespace attncheck::scale
