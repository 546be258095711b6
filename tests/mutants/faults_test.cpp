#include <string>

#include <gtest/gtest.h>
#include <torch/version.h>

#include "tests/mutants/mutant_testing.h"

namespace attncheck {
namespace {

// A mutant on a case, and exactly which of out, lse, dq, dk and dv are then wrong.
struct Fault {
  const char* name;
  const char* words;
  const char* wrong;
};

// Batch, grouped heads, causal, more queries than keys: what a parent supports a mutant does too.
#define WIDE " b=2 q=24 kv=12 d=3 dv=2 causal=1"
#define RING_HEADS " h=4 hkv=2"
#define ULYSSES_HEADS " h=8 hkv=4"
// Kernels by the log-sum-exp that they return, (B, H, S, 1) or, as math does, (B, H, S).
#define FOUR_AXES "backend=four_axis_kernel "
#define CUDNN_OF_2_8 "backend=cudnn_emulated:2.8 dtype=bf16 "
#define CUDNN_OF_2_9 "backend=cudnn_emulated:2.9 dtype=bf16 "

// What B2 does to three axes: its test of LibTorch's version is one of the linked release.
constexpr const char* three_axes_err(const char* wrong) {
  return TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR < 9 ? "" : wrong;
}

constexpr Fault kFaults[] = {
    {"A3", "mesh=2x2" WIDE ULYSSES_HEADS, "dq dk dv"},
    {"A3", "mesh=1x1 q=1 d=1", "dv"},
    {"A7", "mesh=1x1 q=1 d=1", "lse"},  // the scale of these cases is 0.7, not 1/sqrt(d)
    {"A7", "mesh=1x1 q=1 kv=2 d=1", "out lse dq dk dv"},
    {"A7", "mesh=2x2 b=2 q=24 kv=12 d=3" ULYSSES_HEADS, "out lse dq dk dv"},
    {"A8", "mesh=1x2 b=2 q=8 h=4 d=3", "dq dk dv"},
    {"A8", "mesh=1x2 q=4 h=2 d=1", "dq dk dv"},
    {"A9", "mesh=1x1" WIDE RING_HEADS, ""},
    {"A9", "mesh=3x1" WIDE RING_HEADS, "dq dk dv"},
    {"A9", "mesh=2x1 q=2 d=1", "dq dk dv"},
    {"A10", "mesh=1x1" WIDE RING_HEADS, ""},
    {"A10", "mesh=2x1" WIDE RING_HEADS, ""},
    {"A10", "mesh=2x1 dlse=1" WIDE RING_HEADS, ""},
    {"A10", "mesh=3x1" WIDE RING_HEADS, "dk dv"},
    {"A10", "mesh=3x1 q=3 d=1", "dk dv"},
    {"A10", "mesh=3x1 q=3 d=1 dtype=f32", "dk dv"},
    {"A11", "mesh=1x1" WIDE RING_HEADS, ""},
    {"A11", "mesh=2x1 q=2 d=1", "dk dv"},
    {"A12", "mesh=1x1 q=4 h=4 d=3", ""},
    {"A12", "backend=flash_cpu mesh=1x1 q=4 h=4 d=3", "dq dk dv"},
    {"A12", CUDNN_OF_2_8 "mesh=2x1 q=8 h=4 d=8", "dq dk dv"},
    {"A12", CUDNN_OF_2_9 "mesh=1x1 q=16 h=16 d=64", "dq dk dv"},
    {"A13", CUDNN_OF_2_8 "mesh=2x1 q=8 h=2 d=8 return_lse=0", "dq dk dv"},
    {"A13", CUDNN_OF_2_9 "mesh=2x1 q=8 h=2 d=8 return_lse=0", "dq dk dv"},
    {"A13", "mesh=2x1" WIDE RING_HEADS, ""},
    {"A13", "mesh=2x1 return_lse=0" WIDE RING_HEADS, "dq dk dv"},
    {"A13", "mesh=1x1 q=1 d=1 return_lse=0", "dv"},
    {"A16", "mesh=2x2" WIDE ULYSSES_HEADS, "dq dk dv"},
    {"A16", "mesh=1x1 q=1 d=1", "dv"},
    {"A17", "mesh=1x1" WIDE RING_HEADS, ""},
    {"A17", "mesh=3x1" WIDE RING_HEADS, "dq dk"},
    {"A17", "mesh=2x1 q=2 d=1", "dq dk"},
    {"A19", "mesh=2x1" WIDE RING_HEADS, "dq"},
    {"A19", "mesh=1x1 q=1 kv=2 d=1", "dq"},
    {"A20", "mesh=2x2" WIDE ULYSSES_HEADS, ""},
    {"A20", "mesh=1x1 q=1 d=1 dtype=f32", "out lse dv"},
    {"B1", FOUR_AXES "mesh=2x1 q=2 d=1", "lse"},
    {"B1", "mesh=2x1 q=12 kv=8 b=2 h=3 d=5 causal=1", ""},
    {"B1", CUDNN_OF_2_8 "mesh=2x1 q=12 kv=8 b=2 h=3 d=8 causal=1", ""},
    {"B1", CUDNN_OF_2_9 "mesh=2x1 q=2 kv=4 d=8", "lse"},
    {"B2", "mesh=1x1 q=4 h=2 d=3", ""},
    {"B2", "mesh=2x1 q=2 d=1", ""},
    {"B2", "mesh=2x1 q=8 h=4 d=4", three_axes_err("out dq dk")},
    {"B2", CUDNN_OF_2_8 "mesh=2x1 q=16 h=8 d=8", three_axes_err("out dq dk")},
    {"B3", FOUR_AXES "mesh=2x2 q=24 kv=8 b=2 h=2 d=3 causal=1", ""},
    {"B3", FOUR_AXES "mesh=2x2 q=24 kv=8 b=2 h=4 d=3 causal=1", "lse"},
    {"B3", FOUR_AXES "mesh=2x1 q=4 h=4 d=1", ""},
    {"B3", FOUR_AXES "mesh=2x2 q=4 h=4 d=1", "lse"},
    {"B3", FOUR_AXES "mesh=2x2 q=4 h=4 d=1 return_lse=0", ""},
    {"B3", CUDNN_OF_2_8 "mesh=2x2 q=4 h=4 d=8", ""},
    {"B3", CUDNN_OF_2_9 "mesh=2x2 q=4 h=4 d=8", "lse"},
    {"B15", FOUR_AXES "mesh=2x1 q=2 d=1", "lse"},
    {"B15", "mesh=2x1 q=12 kv=8 b=2 h=3 d=5 causal=1", ""},
    {"B15", CUDNN_OF_2_8 "mesh=2x1 q=12 kv=8 b=2 h=3 d=8 causal=1", ""},
    {"B15", CUDNN_OF_2_9 "mesh=2x1 q=2 kv=4 d=8", "lse"},
    {"B5", "mesh=1x1" WIDE RING_HEADS, "lse"},
    {"B5", "mesh=2x1 q=2 d=1", "out lse dq dk dv"},
    {"B6", "mesh=1x1" WIDE RING_HEADS, "lse"},
    {"B6", "mesh=2x1 q=2 d=1", "out lse dq dk dv"},
    {"B7", "mesh=3x1" WIDE RING_HEADS, ""},
    {"B7", "mesh=2x1 q=4 kv=2 d=1 causal=1 align=br", "out lse"},
    {"B8", "mesh=3x1 b=2 q=24 kv=12 d=3 dv=2" RING_HEADS, ""},
    {"B8", "mesh=2x1 q=4 kv=2 d=1 causal=1 align=br", "out lse dq dk dv"},
    {"B9", "mesh=3x1 b=2 q=24 kv=12 d=3 dv=2" RING_HEADS, ""},
    {"B9", "mesh=2x1 q=4 kv=2 d=1 causal=1 align=br", "out lse dq dk dv"},
    {"C4", "mesh=1x2" WIDE ULYSSES_HEADS, ""},
    {"C4", "mesh=1x1 q=3 d=1", ""},
    {"C4", "mesh=1x2 q=3 h=2 d=1", "out lse dq dk dv"},
    {"C6", "mesh=1x1" WIDE RING_HEADS, ""},
    {"C6", "mesh=1x2 q=2 h=2 d=1", "out lse dq dk dv"},
    {"B12", "mesh=2x1 dtype=f32" WIDE RING_HEADS, ""},
    {"B12", "mesh=2x1 q=2 d=1", "out lse"},
    {"C5", "mesh=3x1" WIDE RING_HEADS, ""},
    {"C5", "mesh=2x2 q=4 h=2 d=1", "out lse dq dk dv"},
    {"A6", "mesh=1x1 rotate=p2p" WIDE RING_HEADS, ""},
    {"A6", "mesh=3x1" WIDE RING_HEADS, ""},
    {"A6", "mesh=2x1 rotate=p2p q=2 d=1", "dk dv"},
    {"A6", "mesh=3x1 rotate=p2p" WIDE RING_HEADS, "dk dv"},
    {"C9", "mesh=3x1" WIDE RING_HEADS, ""},
    {"C9", "mesh=1x1 rotate=p2p q=1 d=1", ""},
    {"C11", "mesh=1x1" WIDE ULYSSES_HEADS, ""},
    {"C11", "mesh=1x2 q=2 h=2 d=1", "dq dk dv"},
    {"C11", "mesh=1x2" WIDE ULYSSES_HEADS, "dq dk dv"},
    {"C13", "mesh=3x1 rotate=p2p" WIDE RING_HEADS, ""},
    {"C13", "mesh=2x1 q=4 kv=4 d=1 causal=1 align=br", ""},
    {"A15", "mesh=3x1" WIDE RING_HEADS, ""},
    {"B13", "mesh=3x1 dtype=f32" WIDE RING_HEADS, ""},
    {"B4", "mesh=2x1 dtype=f32" WIDE RING_HEADS, ""},
    {"B4", "mesh=2x1 b=2 q=4 d=2 causal=1 dtype=f32", ""},
    {"B10", "mesh=1x1 q=32 d=2", ""},
    {"B10", "mesh=1x1 q=16 d=2", "lse"},
    {"B11", "mesh=1x1 q=3 h=2 d=2", ""},
    {"B11", "mesh=1x1 q=4 h=4 d=1", "lse"},
    {"C14", "mesh=1x2" WIDE ULYSSES_HEADS, ""},
    {"C14", "mesh=1x4 q=4 h=4 hkv=2 d=1", "out lse dq dk dv"},
    {"D1", "mesh=2x2 b=2 q=8 h=4 d=3", ""},
    {"D1", "mesh=2x2 b=2 q=8 h=4 d=3 mask=bool", "out lse dq dk dv"},
    {"D1", "mesh=1x1 q=1 kv=2 d=1 mask=bool:bk", "out lse dq dk dv"},
    {"D3", "mesh=1x2 b=2 q=4 h=2 d=1 mask=bool", ""},
    {"D3", "mesh=1x2 b=1 q=4 h=2 d=1 mask=bool:bk", ""},
    {"D3", "mesh=1x2 b=2 q=4 h=2 d=1 mask=bool:bk", "out lse dq dk dv"},
    {"D4", "mesh=3x1 layout=zigzag" WIDE RING_HEADS, ""},
    {"D4", "mesh=2x1 q=7 d=1 layout=zigzag", ""},
    {"D4", "mesh=2x1 q=7 d=1 layout=zigzag causal=1", "out lse dq dk dv"},
    {"D5", "mesh=2x1 layout=zigzag" WIDE RING_HEADS, ""},
    {"D5", "mesh=2x1 b=2 q=5 d=1", ""},
    {"D6", "mesh=4x1" WIDE RING_HEADS, ""},
    {"D6", "mesh=4x1 q=9 d=1 layout=zigzag", ""},
    {"D6", "mesh=4x1 q=9 d=1", "out lse dq dk dv"},
    {"house_drops_a_wait", "mesh=3x1 rotate=p2p" WIDE RING_HEADS, ""},
    {"house_aliases_an_exchange", "mesh=1x4" WIDE ULYSSES_HEADS, ""},
    {"house_swaps_a_tag", "mesh=3x1" WIDE RING_HEADS, ""},
    {"house_sends_to_a_wrong_peer", "mesh=2x1 rotate=p2p" WIDE RING_HEADS, ""},
    {"house_reduces_wrongly", "mesh=3x1 rotate=p2p" WIDE RING_HEADS, ""},
    {"house_skips_a_collective", "mesh=1x1" WIDE RING_HEADS, ""},
    {"house_follows_arrival", "mesh=3x1" WIDE RING_HEADS, ""},
    {"house_sends_keys_twice_around", "mesh=3x1 rotate=p2p" WIDE RING_HEADS, ""},
    {"house_sends_keys_twice_around", "mesh=3x1" WIDE RING_HEADS, ""},
    {"house_keeps_every_block", "mesh=3x1 rotate=p2p" WIDE RING_HEADS, ""},
    {"house_keeps_every_block", "mesh=3x1" WIDE RING_HEADS, ""},
    {"house_gathered_keys_in_rank_order", "mesh=3x1" WIDE RING_HEADS, ""},
    {"house_gathered_keys_in_rank_order", "mesh=3x1 layout=zigzag q=24 d=3" RING_HEADS, ""},
    {"house_gathered_keys_in_rank_order", "mesh=2x1 layout=zigzag q=3 d=1 causal=1", ""},
    {"house_gathered_keys_in_rank_order", "mesh=3x1 layout=zigzag" WIDE RING_HEADS,
     "out lse dq dk dv"},
    {"house_gathers_keys_twice", "mesh=3x1" WIDE RING_HEADS, ""},
    {"house_gathered_gradients_are_averaged", "mesh=1x1" WIDE RING_HEADS, ""},
    {"house_gathered_gradients_are_averaged", "mesh=3x1" WIDE RING_HEADS, "dk dv"},
    {"house_every_pair_counts_twice", "mesh=2x1" WIDE RING_HEADS, "lse"},
    {"house_every_pair_counts_twice", "mesh=1x1 q=1 d=1", "lse"},
    {"house_lse_gradient_dropped", "mesh=2x1" WIDE RING_HEADS, ""},
    {"house_lse_gradient_dropped", "mesh=1x1 q=1 d=1 dlse=1", "dq dk"},
    {"house_scale_by_ring_degree", "mesh=1x2" WIDE ULYSSES_HEADS, ""},
    {"house_scale_by_ring_degree", "mesh=2x1 q=2 h=2 d=1", "out lse dq dk dv"},
    {"house_call_counter_leaks", "mesh=2x1" WIDE RING_HEADS, ""},
    {"house_dv_is_undefined", "mesh=1x1 q=1 d=1", "dv"},
    {"house_dk_needs_dq", "mesh=2x2" WIDE ULYSSES_HEADS, ""},
    {"house_mask_stays", "mesh=1x1 q=4 d=2 mask=bool", ""},
    {"house_mask_stays", "mesh=3x1 q=9 d=2", ""},
    {"house_mask_stays", "mesh=3x1 q=9 d=2 mask=bool:bk", "out lse dq dk dv"},
    {"house_mask_of_first_heads", "mesh=1x2 b=2 q=4 h=4 d=2 mask=bool:bk", ""},
    {"house_mask_of_first_heads", "mesh=1x3 b=2 q=6 h=3 d=2 mask=bool", "out lse dq dk dv"},
    {"house_window_too_wide", "mesh=2x2 q=8 h=2 d=2 mask=bool", ""},
    {"house_window_too_wide", "mesh=2x2 q=8 h=2 d=2 window=1", "out lse dq dk dv"},
    {"house_documents_end_at_home", "mesh=1x1 q=8 d=2 documents=3,5", ""},
    {"house_documents_end_at_home", "mesh=2x1 q=8 d=2", ""},
    {"house_documents_end_at_home", "mesh=2x1 q=8 d=2 documents=4,4", "out lse dq dk dv"},
    {"house_gradients_on_a_coarser_grid", "mesh=1x1 q=1 d=8", "dv"},
    {"house_dq_in_bfloat16", "mesh=2x1 q=8 d=2 dtype=bf16", ""},
    {"house_constant_in_dv", "mesh=1x1 q=1 d=1", "dv"},
    {"house_position_bias_left_on", "mesh=1x1 q=1 d=1", ""},
    {"house_position_bias_left_on", "mesh=3x1" WIDE RING_HEADS, "out lse dq dk dv"},
    {"house_keys_in_int8", "mesh=1x1 q=1 d=1", ""},
    {"house_keys_in_int8", "mesh=2x2" WIDE ULYSSES_HEADS, "out lse dq dk dv"},
    {"house_values_in_int8", "mesh=1x1 q=1 kv=2 d=1", ""},
    {"house_values_in_int8", "mesh=2x2" WIDE ULYSSES_HEADS, "out dq dk"},
    {"house_lse_of_smoothed_keys", "mesh=1x1" WIDE RING_HEADS, "lse"},
    {"house_lse_of_smoothed_keys", "mesh=2x1 q=4 d=1", "out lse dq dk dv"},
    {"house_keys_cut_at_query_length", "mesh=3x1" WIDE RING_HEADS, ""},
    {"house_keys_cut_at_query_length", "mesh=1x1 q=1 kv=2 d=1", "out lse dq dk dv"},
    {"house_scales_q_in_place", "mesh=2x2" WIDE ULYSSES_HEADS, ""},
    {"house_cotangent_in_memory_order", "mesh=1x1" WIDE RING_HEADS, ""},
    {"house_scale_of_the_last_forward", "mesh=2x1" WIDE RING_HEADS, ""},
    {"house_head_dim_of_the_first_call", "mesh=3x1" WIDE RING_HEADS, ""},
    {"house_values_in_float32", "mesh=2x1 q=2 d=1 dtype=f32", ""},
    {"house_values_in_float32", "mesh=2x2" WIDE ULYSSES_HEADS, "out"},
    {"house_lse_without_the_bias", "mesh=2x1 q=8 d=2 mask=bool", ""},
    {"house_mean_over_query_heads", "mesh=2x1 q=4 h=2 d=1", ""},
    {"house_mean_over_query_heads", "mesh=2x1 q=4 h=2 hkv=1 d=1 dlse=1", ""},
    {"house_mean_over_query_heads", "mesh=2x1 q=4 h=2 hkv=1 d=1", "dv"},
    {"house_keys_without_the_gradient_of_lse", "mesh=2x2" WIDE ULYSSES_HEADS, ""},
    {"house_keys_without_the_gradient_of_lse", "mesh=2x1 q=2 d=1 dlse=1", "dk"},
    {"house_out_stays_in_float32", "mesh=2x2" WIDE ULYSSES_HEADS, ""},
    {"house_sums_otherwise_without_lse", "mesh=2x2" WIDE ULYSSES_HEADS, ""},
    {"house_copies_every_block", "mesh=3x1 rotate=p2p" WIDE RING_HEADS, ""},
    {"house_throws_on_one_rank", "mesh=1x1" WIDE RING_HEADS, ""},
    {"house_refuses_on_rank_0_alone", "mesh=2x1" WIDE RING_HEADS, ""},
};

std::string test_name(const ::testing::TestParamInfo<Fault>& info) {
  return std::string(info.param.name) + "_" + std::to_string(info.index);
}

void PrintTo(const Fault& fault, std::ostream* out) {
  *out << fault.name << " " << fault.words;
}

class MutantFault : public ::testing::TestWithParam<Fault> {};

TEST_P(MutantFault, IsWrongInJustThisWay) {
  const testing::Outcome got = testing::outcome(GetParam().name, GetParam().words);
  EXPECT_EQ(got.wrong, GetParam().wrong);
  for (const std::string& error : got.errors) EXPECT_EQ(error, "");
}

INSTANTIATE_TEST_SUITE_P(All, MutantFault, ::testing::ValuesIn(kFaults), test_name);

}  // namespace
}  // namespace attncheck
