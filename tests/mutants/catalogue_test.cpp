#include "mutants/catalogue.h"

#include <set>

#include <gtest/gtest.h>

#include "impl/backends/math.h"
#include "problem/case_text.h"
#include "tests/mutants/mutant_testing.h"

namespace attncheck {
namespace {

Support supports(const Mutant& mutant) {
  if (const auto* implementation = std::get_if<Implementation>(&mutant.subject)) {
    return implementation->supports(mutant.smallest,
                                    testing::backend_named(mutant.smallest.backend));
  }
  if (const auto* merge = std::get_if<Merge>(&mutant.subject)) {
    return merge->supports(mutant.smallest);
  }
  if (const auto* model = std::get_if<Model>(&mutant.subject)) {
    return model->supports(mutant.smallest, math_backend());
  }
  if (const auto* backend = std::get_if<Backend>(&mutant.subject)) {
    return backend->supports(mutant.smallest.problem);
  }
  return std::get<Collective>(mutant.subject).supports(mutant.smallest);
}

TEST(MutantCatalogue, HoldsThePublicFaultsInOrderThenThoseOfTheHouseThenTheSystematicOnes) {
  const std::vector<std::string> faults{
      "A1",  "A2",  "A3",  "A4",  "A5",  "A6",  "A7",  "A8",  "A9",  "A10", "A11",
      "A12", "A13", "A14", "A15", "A16", "A17", "A18", "A19", "A20", "B1",  "B2",
      "B3",  "B4",  "B5",  "B6",  "B7",  "B8",  "B9",  "B10", "B11", "B12", "B13",
      "B15", "C1",  "C2",  "C3",  "C4",  "C5",  "C6",  "C7",  "C8",  "C9",  "C10",
      "C11", "C12", "C13", "C14", "C15", "D1",  "D2",  "D3",  "D4",  "D5",  "D6"};
  const auto mutants = mutant_catalogue();
  ASSERT_GT(mutants.size(), faults.size());
  bool systematic = false;
  for (size_t i = 0; i < mutants.size(); ++i) {
    if (i < faults.size()) {
      EXPECT_EQ(mutants[i].name, faults[i]);
      continue;
    }
    systematic = systematic || mutants[i].systematic;
    EXPECT_EQ(mutants[i].systematic, systematic) << mutants[i].name;
    EXPECT_TRUE(mutants[i].name.starts_with(systematic ? "sys_" : "house_")) << mutants[i].name;
  }
  EXPECT_TRUE(systematic);
}

TEST(MutantCatalogue, NamesAreUniqueAndEveryFactIsGiven) {
  std::set<std::string> names;
  for (const Mutant& mutant : mutant_catalogue()) {
    SCOPED_TRACE(mutant.name);
    EXPECT_TRUE(names.insert(mutant.name).second);
    EXPECT_FALSE(mutant.source.empty());
    EXPECT_FALSE(mutant.fault.empty());
    EXPECT_FALSE(mutant.property.empty());
  }
}

TEST(MutantCatalogue, SmallestCasesNameTheMutantAndReadBackTheSame) {
  for (const Mutant& mutant : mutant_catalogue()) {
    EXPECT_EQ(mutant.smallest.impl, "mutant:" + mutant.name);
    EXPECT_EQ(parse_case(to_text(mutant.smallest)), mutant.smallest) << to_text(mutant.smallest);
  }
}

TEST(MutantCatalogue, SmallestCasesAreSupportedUnlessRefusingIsWhatIsWrong) {
  for (const Mutant& mutant : mutant_catalogue()) {
    const bool is_refused = mutant.property == "refusal_is_an_error_on_every_rank";
    EXPECT_EQ(supports(mutant).ok, !is_refused) << mutant.name << ": " << supports(mutant).reason;
  }
}

// Every property of this project that a mutant must be caught by, and that no other can stand for.
TEST(MutantCatalogue, EveryPropertyHasOne) {
  std::set<std::string> properties;
  for (const Mutant& mutant : mutant_catalogue()) properties.insert(mutant.property);
  for (const char* property : {"supported_case_runs_to_the_end",
                               "refusal_is_an_error_on_every_rank",
                               "output_matches_reference",
                               "lse_matches_reference",
                               "gradients_match_reference",
                               "lse_gradient_flows_or_is_refused",
                               "every_query_key_pair_counts_once",
                               "gradient_count_matches_inputs",
                               "every_required_gradient_is_defined",
                               "gradients_do_not_depend_on_who_else_requires_grad",
                               "gradient_dtype_and_shape_match_input",
                               "vjp_is_linear_in_cotangent",
                               "zero_cotangent_gives_zero_gradient",
                               "lse_has_declared_shape",
                               "kernel_return_matches_schema",
                               "key_blocks_sum_to_the_whole",
                               "out_and_lse_have_declared_dtype",
                               "lse_is_natural_log",
                               "empty_rows_are_zero_and_minus_infinity",
                               "mesh_does_not_matter",
                               "key_order_does_not_matter",
                               "batch_and_head_are_independent",
                               "output_is_linear_in_value",
                               "shifting_keys_by_a_constant_vector_shifts_lse",
                               "duplicated_keys_add_log_two_to_lse",
                               "return_lse_changes_nothing_else",
                               "merge_is_associative",
                               "tagged_integers_arrive_bitwise",
                               "collective_backward_is_its_adjoint",
                               "inputs_are_not_modified",
                               "views_and_strides_do_not_matter",
                               "same_case_twice_is_bitwise_equal",
                               "nothing_uninitialised_is_read",
                               "every_work_is_waited_for",
                               "collectives_match_on_all_ranks",
                               "schedule_does_not_matter",
                               "bytes_match_theory",
                               "remote_keys_are_reached",
                               "peak_memory_stays_within_shards",
                               "two_configurations_do_not_interfere",
                               "changing_shapes_in_one_group_works",
                               "subgroups_of_a_larger_world_work",
                               "model_matches_single_rank",
                               "replicated_inputs_agree_on_all_ranks"}) {
    EXPECT_TRUE(properties.contains(property)) << property;
  }
}

}  // namespace
}  // namespace attncheck
