#include "mutants/catalogue.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <tuple>

#include "mutants/cached_sizes.h"
#include "mutants/cotangent.h"
#include "mutants/dispatch.h"
#include "mutants/empty_rank.h"
#include "mutants/empty_row_lse.h"
#include "mutants/equal_splits.h"
#include "mutants/exchange_layout.h"
#include "mutants/gather_gradient.h"
#include "mutants/gradient_count.h"
#include "mutants/head_order.h"
#include "mutants/house_all_keys.h"
#include "mutants/house_alone.h"
#include "mutants/house_completion.h"
#include "mutants/house_gradients.h"
#include "mutants/house_invariance.h"
#include "mutants/house_kernels.h"
#include "mutants/house_memory.h"
#include "mutants/house_merges.h"
#include "mutants/house_state.h"
#include "mutants/house_traffic.h"
#include "mutants/house_values.h"
#include "mutants/kernel_layout.h"
#include "mutants/layouts.h"
#include "mutants/lse_axis.h"
#include "mutants/lse_form.h"
#include "mutants/lse_kept.h"
#include "mutants/lse_value.h"
#include "mutants/masks.h"
#include "mutants/merge_by_autograd.h"
#include "mutants/merge_precision.h"
#include "mutants/mismatched_exchanges.h"
#include "mutants/model_training.h"
#include "mutants/narrow_compute.h"
#include "mutants/own_shard_alone.h"
#include "mutants/padded_keys.h"
#include "mutants/ring_backward.h"
#include "mutants/ring_group_alone.h"
#include "mutants/sends_first.h"
#include "mutants/sum_gradient.h"
#include "mutants/systematic/systematic.h"
#include "mutants/unwaited_exchanges.h"
#include "mutants/world_ranks.h"

namespace attncheck {
namespace {

// "A10" after "A9"; then "house_...", then "sys_...".
auto place(const Mutant& mutant) {
  const std::string& name = mutant.name;
  const int kind = mutant.systematic ? 2 : name.starts_with("house_") ? 1 : 0;
  const int number = kind == 0 ? std::stoi(name.substr(1)) : 0;
  return std::make_tuple(kind, kind == 0 ? name.substr(0, 1) : name, number);
}

}  // namespace

std::vector<Mutant> mutant_catalogue() {
  std::vector<Mutant> all{
      gather_keeps_its_own_slice(), merge_left_to_autograd(), ring_group_alone(),
      math_falls_into_flash(),      sum_without_autograd(),   computes_in_float16(),
      cuts_to_equal_splits(),       own_shard_alone(),        sends_before_it_receives(),
      caches_the_lengths_by_rank(), keys_transposed_twice(),  leaves_an_empty_rank_unwritten(),
      pads_keys_to_equal_shards()};
  for (const auto family : {gradient_count_mutants,
                            cotangent_mutants,
                            ring_backward_mutants,
                            lse_axis_mutants,
                            lse_value_mutants,
                            empty_row_lse_mutants,
                            exchange_layout_mutants,
                            house_completion_mutants,
                            house_value_mutants,
                            house_gradient_mutants,
                            house_invariance_mutants,
                            lse_kept_mutants,
                            house_kernel_mutants,
                            house_memory_mutants,
                            house_state_mutants,
                            house_merge_mutants,
                            unwaited_exchange_mutants,
                            mismatched_exchange_mutants,
                            world_rank_mutants,
                            house_traffic_mutants,
                            house_all_keys_mutants,
                            house_alone_mutants,
                            head_order_mutants,
                            layout_mutants,
                            mask_mutants,
                            model_mutants,
                            lse_form_mutants,
                            merge_precision_mutants,
                            systematic_mutants}) {
    std::ranges::move(family(), std::back_inserter(all));
  }
  std::ranges::sort(all, {}, place);
  return all;
}

}  // namespace attncheck
