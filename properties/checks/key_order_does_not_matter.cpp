#include "properties/checks/applies.h"
#include "properties/checks/edited_run.h"
#include "properties/checks/invariance.h"
#include "properties/checks/judging.h"
#include "properties/compare.h"
#include "properties/key_edits.h"

namespace attncheck {
namespace {

Verdict order_does_not_matter(const Case& c, Lab& lab) {
  const Request plain = base_request(c);
  Request permuted = plain;
  permuted.key = KeyEdit::permuted;
  const std::vector<int64_t> sources = key_sources(permuted);
  Relation relation;
  relation.from = "what the keys give in their own order";
  relation.carried = [&](const std::string& tensor, const at::Tensor& x) {
    return axis_of(tensor) == Axis::key ? rows_of(x, sources) : x;
  };
  relation.growth = [](const std::string&) { return at::Tensor(); };
  return follows(lab, plain, permuted, all_tensors(c), relation);
}

}  // namespace

Property key_order_does_not_matter() {
  Property property;
  property.name = "key_order_does_not_matter";
  property.explains = "keys and values in another order give the same, dk and dv in that order";
  property.subjects = attention_subjects();
  property.applies = [](const Case& c) {
    return all_of({needs_attention(c), needs_free_keys(c), needs_several_keys(c)});
  };
  property.check = order_does_not_matter;
  return property;
}

}  // namespace attncheck
