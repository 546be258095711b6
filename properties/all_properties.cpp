#include "properties/checks/communication.h"
#include "properties/checks/completion.h"
#include "properties/checks/contracts.h"
#include "properties/checks/exchange.h"
#include "properties/checks/gradient_plumbing.h"
#include "properties/checks/invariance.h"
#include "properties/checks/memory.h"
#include "properties/checks/merges.h"
#include "properties/checks/models.h"
#include "properties/checks/state.h"
#include "properties/checks/values.h"
#include "properties/property.h"

namespace attncheck {

const std::vector<Property>& all_properties() {
  static const std::vector<Property> properties{
      supported_case_runs_to_the_end(),
      refusal_is_an_error_on_every_rank(),
      output_matches_reference(),
      lse_matches_reference(),
      gradients_match_reference(),
      lse_gradient_flows_or_is_refused(),
      every_query_key_pair_counts_once(),
      key_blocks_sum_to_the_whole(),
      error_does_not_grow_with_ring_degree(),
      model_matches_single_rank(),
      gradient_count_matches_inputs(),
      every_required_gradient_is_defined(),
      gradients_do_not_depend_on_who_else_requires_grad(),
      gradient_dtype_and_shape_match_input(),
      vjp_is_linear_in_cotangent(),
      zero_cotangent_gives_zero_gradient(),
      lse_has_declared_shape(),
      kernel_return_matches_schema(),
      lse_is_natural_log(),
      out_and_lse_have_declared_dtype(),
      empty_rows_are_zero_and_minus_infinity(),
      mesh_does_not_matter(),
      key_order_does_not_matter(),
      batch_and_head_are_independent(),
      output_is_linear_in_value(),
      shifting_keys_by_a_constant_vector_shifts_lse(),
      duplicated_keys_add_log_two_to_lse(),
      return_lse_changes_nothing_else(),
      merge_is_associative(),
      tagged_integers_arrive_bitwise(),
      collective_backward_is_its_adjoint(),
      inputs_are_not_modified(),
      views_and_strides_do_not_matter(),
      same_case_twice_is_bitwise_equal(),
      nothing_uninitialised_is_read(),
      peak_memory_stays_within_shards(),
      every_work_is_waited_for(),
      collectives_match_on_all_ranks(),
      schedule_does_not_matter(),
      bytes_match_theory(),
      remote_keys_are_reached(),
      two_configurations_do_not_interfere(),
      changing_shapes_in_one_group_works(),
      subgroups_of_a_larger_world_work(),
      replicated_inputs_agree_on_all_ranks(),
  };
  return properties;
}

}  // namespace attncheck
