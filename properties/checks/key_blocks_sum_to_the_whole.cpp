#include <fmt/format.h>

#include "properties/checks/applies.h"
#include "properties/checks/judging.h"
#include "properties/checks/values.h"
#include "properties/compare.h"
#include "properties/key_blocks.h"

namespace attncheck {
namespace {

// A backend may refuse a block of one key that it would take within the whole.
Support takes_blocks(const Case& c, const std::vector<int64_t>& lengths, Lab& lab) {
  for (int64_t length : lengths) {
    Case block = c;
    block.problem.kv_len = length;
    const Support support = lab.supports(block);
    if (!support) {
      return Support::no(fmt::format("a block of {} of the keys: {}", length, support.reason));
    }
  }
  return Support::yes();
}

Verdict blocks_sum_up(const Case& c, Lab& lab) {
  Request request = base_request(c);
  request.key_blocks = drawn_key_blocks(c);
  const std::vector<int64_t> lengths = key_block_lengths(request);
  if (const Support taken = takes_blocks(c, lengths, lab); !taken) {
    return Verdict::unsupported(taken.reason);
  }
  const Observation& observation = lab.observe(request);
  const std::string whole =
      "attention to all keys, put together from blocks of " + index_text(lengths) + " of them";
  return judge_each(observation, all_tensors(c), [&](const std::string& tensor) {
    const Expected& expected = lab.expected(request);
    return compared_with(whole,
                         compare_shards(request, observation, tensor, value_of(expected, tensor),
                                        bound_of(expected, tensor)));
  });
}

}  // namespace

Property key_blocks_sum_to_the_whole() {
  Property property;
  property.name = "key_blocks_sum_to_the_whole";
  property.explains =
      "blocks of keys, merged by their lse and given the global out and lse, add up to the whole";
  property.subjects = {SubjectKind::local};
  property.applies = [](const Case& c) {
    return all_of({needs_attention(c), needs_lse(c), needs_several_keys(c)});
  };
  property.check = blocks_sum_up;
  return property;
}

}  // namespace attncheck
