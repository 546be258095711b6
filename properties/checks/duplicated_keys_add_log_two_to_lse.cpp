#include <cmath>

#include <ATen/ops/scalar_tensor.h>

#include "problem/case_text.h"
#include "properties/checks/applies.h"
#include "properties/checks/edited_run.h"
#include "properties/checks/invariance.h"
#include "properties/checks/judging.h"
#include "properties/compare.h"
#include "properties/key_edits.h"

namespace attncheck {
namespace {

Support needs_equal_shards(const Case& c) {
  return c.problem.shards.empty() ? Support::yes()
                                  : Support::no("shards= does not fit twice as many keys");
}

Support needs_queries_of_their_own(const Case& c) {
  return c.problem.data == Data::selector
             ? Support::no("data=selector draws its queries by the number of keys")
             : Support::yes();
}

Request with_every_key_twice(const Case& c) {
  Request request = base_request(c);
  request.case_.problem.kv_len *= 2;
  request.key = KeyEdit::duplicated;
  return request;
}

Verdict log_two_is_added(const Case& c, Lab& lab) {
  const Request plain = base_request(c), twice = with_every_key_twice(c);
  if (const Support support = lab.supports(twice.case_); !support) {
    return Verdict::unsupported("with every key twice: " + support.reason);
  }
  const std::vector<int64_t> sources = key_sources(twice);
  Relation relation;
  relation.from = "what each key gives once, by more than ln 2 for lse and a half for dk and dv";
  relation.carried = [&](const std::string& tensor, const at::Tensor& x) {
    return axis_of(tensor) == Axis::key ? rows_of(x, sources).mul(0.5) : x;
  };
  relation.growth = [](const std::string& tensor) {
    return tensor == "lse" ? at::scalar_tensor(M_LN2, at::kDouble) : at::Tensor();
  };
  return follows(lab, plain, twice, all_tensors(c), relation);
}

}  // namespace

Property duplicated_keys_add_log_two_to_lse() {
  Property property;
  property.name = "duplicated_keys_add_log_two_to_lse";
  property.explains = "with every key twice lse grows by ln 2, and each copy takes half of dk, dv";
  property.subjects = attention_subjects();
  property.applies = [](const Case& c) {
    return all_of({needs_attention(c), needs_free_keys(c), needs_equal_shards(c),
                   needs_queries_of_their_own(c)});
  };
  property.check = log_two_is_added;
  return property;
}

}  // namespace attncheck
