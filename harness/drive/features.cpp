#include "harness/drive/features.h"

#include <algorithm>
#include <array>

namespace attncheck {
namespace {

constexpr std::array<int64_t, 5> kPrimes{2, 3, 5, 7, 1};

// Another number of tokens a rank, prime, so that no two sizes divide each other.
void set_other_kv_len(Case& c, const Pick& pick) {
  const int world = c.mesh.world();
  int64_t local = kPrimes[pick(kPrimes.size())];
  if (local * world == c.problem.q_len) ++local;
  c.problem.kv_len = local * world;
}

// Never drawn where it is supported, since sizes are drawn before.
void set_odd_head_dim(Case& c, const Pick&) {
  c.problem.head_dim = c.problem.v_head_dim = 9;
}

// Half of the time a divisor of the heads of one Ulysses rank, not all of them; else one or two KV
// heads a rank, so that their order can be wrong.
void set_grouped_heads(Case& c, const Pick& pick) {
  Problem& p = c.problem;
  const int64_t degree = c.mesh.ulysses;
  if (pick(2) == 1) {
    p.kv_heads = degree * (1 + pick(2));
    p.heads = p.kv_heads * (2 + pick(2));
    return;
  }
  if (p.heads < 2 * degree) p.heads = 2 * degree;
  const int64_t local = p.heads / degree;
  std::vector<int64_t> divisors;
  for (int64_t n = 1; n < local; ++n) {
    if (local % n == 0) divisors.push_back(n);
  }
  p.kv_heads = degree * divisors[pick(divisors.size())];
}

void set_own_v_head_dim(Case& c, const Pick& pick) {
  Problem& p = c.problem;
  p.v_head_dim = 1 + pick(8);
  if (p.v_head_dim == p.head_dim) ++p.v_head_dim;
}

// For a backend alone: lengths about the tiles that kernels take, one more and one less; one time
// in three a single query. A case has one batch then: long ones cost.
void set_tile_lengths(Case& c, const Pick& pick) {
  constexpr std::array<int64_t, 9> kLengths{31, 32, 33, 63, 64, 65, 127, 128, 129};
  if (c.impl != "local") return;
  c.problem.batch = 1;
  c.problem.kv_len = kLengths[pick(kLengths.size())];
  c.problem.q_len = pick(3) == 2 ? 1 : kLengths[pick(kLengths.size())];
}

// Two lengths, or the alignment says nothing. With more queries than keys there are rows without
// any key: half of the time.
void set_bottom_right(Case& c, const Pick& pick) {
  Problem& p = c.problem;
  p.causal = true;
  p.align = Align::bottom_right;
  if (p.q_len == p.kv_len) set_other_kv_len(c, pick);
  const bool rows_without_keys = pick(2) == 1;
  if (rows_without_keys == (p.q_len < p.kv_len)) std::swap(p.q_len, p.kv_len);
}

void set_scale(Case& c, const Pick& pick) {
  constexpr std::array<double, 5> kScales{0.5, 1.0, 0.125, -0.5, 0.0};
  c.problem.scale = kScales[pick(kScales.size())];
}

void set_grad_subset(Case& c, const Pick& pick) {
  const int64_t bits = 1 + pick(6);
  c.grad = {(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0};
}

// Lengths that the ranks do not divide, one time in four less tokens than ranks. Where q and kv
// have one length they keep one, half of the time.
void set_indivisible_length(Case& c, const Pick& pick) {
  Problem& p = c.problem;
  const int world = c.mesh.world();
  if (world == 1) return;
  const auto indivisible = [&](int64_t len) {
    len += 1 + pick(world - 1);
    return pick(4) == 3 ? len % world : len;
  };
  const bool together = p.q_len == p.kv_len && pick(2) == 0;
  p.q_len = indivisible(p.q_len);
  p.kv_len = together ? p.q_len : indivisible(p.kv_len);
}

// Shards of any length, in any order, with empty ones: the sequence cut at random. It is that of
// the queries, of the keys, or half of the time of both; the other one has near-equal shards.
void set_uneven_shards(Case& c, const Pick& pick) {
  Problem& p = c.problem;
  if (pick(2) == 0) p.kv_len = p.q_len;
  const int64_t len = pick(2) == 0 ? p.q_len : p.kv_len;
  std::vector<int64_t> cuts{0, len};
  for (int rank = 1; rank < c.mesh.world(); ++rank) cuts.push_back(pick(len + 1));
  std::sort(cuts.begin(), cuts.end());
  p.shards.clear();
  for (size_t i = 1; i < cuts.size(); ++i) p.shards.push_back(cuts[i] - cuts[i - 1]);
}

// Lengths of shards speak of a contiguous sequence.
template <Layout layout>
void set_layout(Case& c, const Pick&) {
  c.problem.layout = layout;
  c.problem.shards.clear();
}

template <Mask mask>
void set_mask(Case& c, const Pick& pick) {
  constexpr std::array<MaskAxes, 4> kAxes{MaskAxes::bhqk, MaskAxes::b1qk, MaskAxes::b11k,
                                          MaskAxes::bk};
  c.problem.mask = mask;
  c.problem.mask_axes = kAxes[pick(kAxes.size())];
}

// Up to four documents, of which some are shorter than a shard.
void set_documents(Case& c, const Pick& pick) {
  Problem& p = c.problem;
  if (p.q_len != p.kv_len && !p.shards.empty()) return;  // they may cut the keys
  drop_joint_tokens(p);
  p.kv_len = p.q_len;
  p.documents.clear();
  for (int64_t left = p.q_len; left > 0; left -= p.documents.back()) {
    p.documents.push_back(p.documents.size() == 3 ? left : 1 + pick(left));
  }
}

// How many places lie from the first query of a ring rank back to the last key of an earlier one.
int64_t reach_to_earlier_shard(const Case& c, const Pick& pick) {
  const Problem& p = c.problem;
  const int64_t ring = c.mesh.ring, rank = 1 + pick(ring - 1), owner = pick(rank);
  const int64_t diagonal = p.align == Align::bottom_right ? p.kv_len - p.q_len : 0;
  return p.q_len * rank / ring + diagonal - (p.kv_len * (owner + 1) / ring - 1);
}

// With documents, with a mask, with both or alone: they meet in one kernel's mask.
void set_any_window(Case& c, const Pick& pick) {
  c.problem.window = pick(std::max<int64_t>(2, c.problem.kv_len / 2));
  const int64_t more = pick(4);
  if ((more & 1) != 0) set_documents(c, pick);
  if ((more & 2) != 0) set_mask<Mask::boolean>(c, pick);
}

// Half of the time one that just reaches an earlier shard: a ring that leaves out blocks by their
// places, one too many, is wrong there alone.
void set_window(Case& c, const Pick& pick) {
  const bool to_edge = c.mesh.ring > 1 && pick(2) == 1;
  if (!to_edge) return set_any_window(c, pick);
  c.problem.window = std::max<int64_t>(0, reach_to_earlier_shard(c, pick));
}

// One to three tokens more, of the queries and of the keys. They have no place among others.
template <JointPlace place>
void set_joint(Case& c, const Pick& pick) {
  Problem& p = c.problem;
  if (p.joint.tokens > 0 || !sees_every_place(p)) return;
  p.joint = {place, 1 + pick(3)};
  p.q_len += p.joint.tokens;
  p.kv_len += p.joint.tokens;
}

// Its keys and queries grow with the square of a position, past what float16 holds.
void set_selector_data(Case& c, const Pick&) {
  if (c.problem.dtype != DType::f16) c.problem.data = Data::selector;
}

// A number from 1 to n + 1 that n does not divide.
int64_t indivisible_by(int64_t n, const Pick& pick) {
  const int64_t number = 1 + pick(n);
  return number % n == 0 ? number + 1 : number;
}

void set_indivisible_heads(Case& c, const Pick& pick) {
  if (c.mesh.ulysses == 1) return;
  c.problem.heads = c.problem.kv_heads = indivisible_by(c.mesh.ulysses, pick);
}

// Fewer than the ranks of a Ulysses group or one more, each with two or three query heads.
void set_indivisible_kv_heads(Case& c, const Pick& pick) {
  if (c.mesh.ulysses == 1) return;
  c.problem.kv_heads = indivisible_by(c.mesh.ulysses, pick);
  c.problem.heads = c.problem.kv_heads * (2 + pick(2));
}

// Which rank goes first at an exchange: any, or by priorities that change a few times.
void set_schedule(Case& c, const Pick& pick) {
  if (c.mesh.world() == 1) return;
  const int64_t changes = pick(4);
  const std::string seed = std::to_string(pick(int64_t{1} << 31));
  c.schedule = changes == 0 ? "random:" + seed : "pct:" + std::to_string(changes) + ":" + seed;
}

template <typename Field, typename Value>
Feature plain_feature(const char* name, int percent, Field field, Value value) {
  return {name, percent, [field, value](Case& c, const Pick&) { c.*field = value; }};
}

template <typename Field, typename Value>
Feature problem_feature(const char* name, int percent, Field field, Value value) {
  return {name, percent, [field, value](Case& c, const Pick&) { c.problem.*field = value; }};
}

void add_size_features(std::vector<Feature>& all) {
  all.push_back({"kv", 45, set_other_kv_len});
  all.push_back({"hkv", 25, set_grouped_heads});
  all.push_back({"dv", 25, set_own_v_head_dim});
  all.push_back({"d=9", 0, set_odd_head_dim});
  all.push_back({"tile lengths", 8, set_tile_lengths});
  all.push_back({"indivisible length", 20, set_indivisible_length});
  all.push_back({"indivisible heads", 10, set_indivisible_heads});
  all.push_back({"indivisible KV heads", 10, set_indivisible_kv_heads});
  all.push_back({"shards", 15, set_uneven_shards});
}

void add_problem_features(std::vector<Feature>& all) {
  all.push_back(problem_feature("causal", 25, &Problem::causal, true));
  all.push_back({"align=br", 20, set_bottom_right});
  all.push_back({"mask=bool", 12, set_mask<Mask::boolean>});
  all.push_back({"mask=additive", 8, set_mask<Mask::additive>});
  all.push_back({"window", 10, set_window});
  all.push_back({"documents", 8, set_documents});
  all.push_back({"joint=front", 12, set_joint<JointPlace::front>});
  all.push_back({"joint=rear", 12, set_joint<JointPlace::rear>});
  all.push_back({"scale", 15, set_scale});
  all.push_back({"layout=zigzag", 15, set_layout<Layout::zigzag>});
  all.push_back({"layout=striped", 15, set_layout<Layout::striped>});
  all.push_back(problem_feature("data=large", 12, &Problem::data, Data::large));
  all.push_back(problem_feature("data=low", 10, &Problem::data, Data::low));
  all.push_back(problem_feature("data=offset", 12, &Problem::data, Data::offset));
  all.push_back({"data=selector", 12, set_selector_data});
  all.push_back(problem_feature("view=offset", 12, &Problem::view, View::offset));
  all.push_back(problem_feature("view=permuted", 12, &Problem::view, View::permuted));
  all.push_back({"view=expanded", 8, [](Case& c, const Pick&) {
                   c.problem.view = View::expanded;
                   c.problem.batch = std::max<int64_t>(2, c.problem.batch);
                 }});
}

void add_call_features(std::vector<Feature>& all) {
  all.push_back({"grad", 12, set_grad_subset});
  all.push_back({"dlse", 15, [](Case& c, const Pick&) { c.lse_cotangent = c.return_lse = true; }});
  all.push_back({"return_lse=0", 12, [](Case& c, const Pick&) {
                   c.return_lse = false;
                   c.lse_cotangent = false;
                 }});
  all.push_back(plain_feature("fp32=0", 15, &Case::convert_to_fp32, false));
  all.push_back(plain_feature("rotate=p2p", 45, &Case::rotate, Rotate::p2p));
  all.push_back(plain_feature("rotate=alltoall", 30, &Case::rotate, Rotate::alltoall));
  all.push_back({"order=ur", 20, [](Case& c, const Pick&) { c.mesh.order = MeshOrder::ur; }});
  all.push_back(plain_feature("dropout", 10, &Case::dropout, 0.1));
  all.push_back({"schedule", 25, set_schedule, /*of_transport=*/true});
}

}  // namespace

void drop_joint_tokens(Problem& problem) {
  problem.q_len = std::max<int64_t>(1, problem.q_len - problem.joint.tokens);
  problem.kv_len = std::max<int64_t>(1, problem.kv_len - problem.joint.tokens);
  problem.joint = Joint{};
}

const std::vector<Feature>& all_features() {
  static const std::vector<Feature> features = [] {
    std::vector<Feature> all;
    add_size_features(all);
    add_problem_features(all);
    add_call_features(all);
    return all;
  }();
  return features;
}

Case plain_case(const StreamSpec& spec, const Mesh& mesh) {
  Case c;
  c.impl = spec.impl;
  c.backend = spec.backend;
  c.transport = spec.transport;
  c.mesh = mesh;
  Problem& p = c.problem;
  p.dtype = spec.dtype;
  p.q_len = p.kv_len = 2 * mesh.world();
  p.heads = p.kv_heads = 2 * mesh.ulysses;
  p.head_dim = p.v_head_dim = 8;
  if (spec.kind == SubjectKind::collective) p.data = Data::tagged;
  c.return_lse = spec.lse;
  return c;
}

}  // namespace attncheck
