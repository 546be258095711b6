#include <fmt/format.h>

#include "impl/contract/dtypes.h"
#include "properties/checks/judging.h"
#include "properties/checks/merges.h"
#include "properties/merge_inputs.h"
#include "properties/merge_trees.h"
#include "reference/evaluation.h"
#include "reference/roundoff.h"

namespace attncheck {
namespace {

constexpr double kRoundingsOfOneMerge = 3;

// The dense result and its bounds, out (b, q, h, dv) and lse (b, q, h).
struct Dense {
  at::Tensor out, lse, out_bound, lse_bound;
};

at::Tensor narrow_roundings(const Case& c, reference::Inputs inputs) {
  const at::ScalarType io = scalar_type(c.problem.dtype);
  inputs.v = inputs.v.abs();
  const auto merges = static_cast<double>(c.problem.kv_len);
  const double share = io == lse_scalar_type(io) ? 0 : reference::unit_roundoff(io);
  return reference::forward(inputs).out.mul(kRoundingsOfOneMerge * merges * share);
}

Dense dense_result(const Case& c) {
  const Problem& p = c.problem;
  const at::ScalarType io = scalar_type(p.dtype);
  const reference::Inputs inputs = dense_inputs(merge_inputs(c));
  const reference::BoundContext context{io, lse_scalar_type(io), p.kv_len};
  const reference::Evaluation dense = reference::evaluate(inputs, {}, {}, context);
  const std::vector<int64_t> rows{p.batch, p.q_len, p.heads},
      sizes{p.batch, p.q_len, p.heads, p.v_head_dim};
  return {dense.forward.out.view(sizes), dense.forward.lse.view(rows),
          dense.bounds.out.add(narrow_roundings(c, inputs)).view(sizes),
          dense.bounds.lse.view(rows)};
}

// Once for each tree, along the batch.
at::Tensor for_each_tree(const at::Tensor& x, const MergeTrees& trees) {
  std::vector<int64_t> repeats(x.dim(), 1);
  repeats[0] = static_cast<int64_t>(trees.roots().size());
  return x.repeat(repeats);
}

// Says which tree it was, and the index within its result.
Verdict of_its_tree(Verdict verdict, const Case& c, const MergeTrees& trees) {
  if (!verdict.failed() || verdict.evidence->index.empty()) return verdict;
  Evidence& evidence = *verdict.evidence;
  const int64_t tree = evidence.index[0] / c.problem.batch;
  evidence.index[0] %= c.problem.batch;
  evidence.message = fmt::format(
      "{} of {} differs from the dense result: error {:.3g}, bound {:.3g}", evidence.tensor,
      trees.text(trees.roots().at(tree)), evidence.error, evidence.bound);
  return verdict;
}

Verdict trees_agree(const Case& c, Lab& lab) {
  const Request request = base_request(c);
  const Observation& observation = lab.observe(request);
  const MergeTrees trees(static_cast<int>(c.problem.kv_len));
  const Dense dense = dense_result(c);
  return judge_each(observation, {"out", "lse"}, [&](const std::string& tensor) {
    const bool out = tensor == "out";
    return of_its_tree(
        compare_shards(request, observation, tensor,
                       for_each_tree(out ? dense.out : dense.lse, trees),
                       for_each_tree(out ? dense.out_bound : dense.lse_bound, trees)),
        c, trees);
  });
}

}  // namespace

Property merge_is_associative() {
  Property property;
  property.name = "merge_is_associative";
  property.explains = "partials merge to the dense result in every order and bracketing";
  property.subjects = {SubjectKind::merge};
  property.applies = [](const Case&) { return Support::yes(); };
  property.check = trees_agree;
  return property;
}

}  // namespace attncheck
