#include "harness/drive/draw_case.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

namespace attncheck {
namespace {

constexpr int64_t kMostLocalTokens = 8;  // of a rank, as a rule
constexpr int64_t kMostTokensEver = 40;  // of a rank, now and then: past a tile of 32
constexpr int64_t kMostHeadDim = 16;
constexpr int64_t kMostHeadDimEver = 64;
constexpr int kRareLongPercent = 5;

// Sizes of one rank: tokens, and heads within one Ulysses rank.
struct LocalSizes {
  int64_t batch = 1, tokens = 1, heads = 1, head_dim = 1;
};

bool has_long_cases(const Mesh& mesh) {
  return mesh.world() <= 4;
}

bool percent(const Pick& pick, int64_t share) {
  return pick(100) < share;
}

int64_t most_local_heads(const Mesh& mesh) {
  return std::max<int64_t>(1, kMostHeads / mesh.ulysses);
}

LocalSizes small_sizes(const Mesh& mesh, const Pick& pick) {
  LocalSizes sizes;
  const bool is_long = has_long_cases(mesh) && percent(pick, kRareLongPercent);
  sizes.tokens = 1 + pick(is_long ? kMostTokensEver : kMostLocalTokens);
  sizes.heads = 1 + pick(std::min<int64_t>(4, most_local_heads(mesh)));
  sizes.head_dim = 1 + pick(is_long ? kMostHeadDimEver : kMostHeadDim);
  sizes.batch = 1 + pick(kMostBatches);
  return sizes;
}

// Four different primes, so that no two axes can be taken for each other.
LocalSizes prime_sizes(const Mesh& mesh, const Pick& pick) {
  std::array<int64_t, 4> primes{2, 3, 5, 7};
  for (int64_t i = 3; i > 0; --i) std::swap(primes[i], primes[pick(i + 1)]);
  LocalSizes sizes{primes[0], primes[1], primes[2], primes[3]};
  if (sizes.batch > kMostBatches || sizes.heads > most_local_heads(mesh)) {
    std::sort(primes.begin(), primes.end());
    sizes = {primes[0], primes[2 + pick(2)], primes[1], 11};
  }
  return sizes;
}

// S_local = H = D: heads are those of the whole, a multiple of the Ulysses degree.
LocalSizes equal_sizes(const Mesh& mesh, const Pick& pick) {
  const int64_t unit = mesh.ulysses == 1 ? 2 : mesh.ulysses;
  const int64_t n =
      mesh.ulysses == 1 ? 2 + pick(5) : unit * (1 + pick(std::max<int64_t>(1, 6 / unit)));
  return {1 + pick(2), n, n / mesh.ulysses, n};
}

// H = S of the whole sequence.
LocalSizes heads_equal_length_sizes(const Mesh& mesh, const Pick& pick) {
  LocalSizes sizes = small_sizes(mesh, pick);
  sizes.tokens = 1 + pick(std::max<int64_t>(1, kMostHeads / mesh.world()));
  sizes.heads = sizes.tokens * mesh.ring;
  return sizes;
}

// Every size is 1 half of the time, another small one otherwise.
LocalSizes sizes_of_ones(const Mesh& mesh, const Pick& pick) {
  LocalSizes sizes = small_sizes(mesh, pick);
  for (int64_t* size : {&sizes.batch, &sizes.tokens, &sizes.heads, &sizes.head_dim}) {
    if (percent(pick, 50)) *size = 1;
  }
  return sizes;
}

LocalSizes draw_sizes(const Mesh& mesh, Goal goal, const Pick& pick) {
  if (goal == Goal::all_equal) return equal_sizes(mesh, pick);
  const int64_t pattern = pick(100);
  if (pattern < 40) return small_sizes(mesh, pick);
  if (pattern < 65) return prime_sizes(mesh, pick);
  if (pattern < 80) return equal_sizes(mesh, pick);
  if (pattern < 88) return heads_equal_length_sizes(mesh, pick);
  return sizes_of_ones(mesh, pick);
}

bool changes_sizes(const Feature& feature) {
  static constexpr std::array<const char*, 10> kSizeFeatures{"kv",
                                                             "tile lengths",
                                                             "hkv",
                                                             "dv",
                                                             "indivisible length",
                                                             "indivisible heads",
                                                             "indivisible KV heads",
                                                             "shards",
                                                             "joint=front",
                                                             "joint=rear"};
  return std::find(kSizeFeatures.begin(), kSizeFeatures.end(), feature.name) != kSizeFeatures.end();
}

bool is_joint(const Feature& feature) {
  return feature.name.starts_with("joint=");
}

// The features that lead to the goal.
bool wanted(const Feature& feature, Goal goal) {
  const std::string& name = feature.name;
  return (goal == Goal::other_kv_len && name == "kv") ||
         (goal == Goal::view && name.starts_with("view=")) ||
         (goal == Goal::large && name == "data=large") ||
         (goal == Goal::zigzag && name == "layout=zigzag") ||
         (goal == Goal::striped && name == "layout=striped") ||
         (goal == Goal::uneven && name == "shards") ||
         (goal == Goal::masked && name.starts_with("mask=")) ||
         (goal == Goal::windowed && name == "window") ||
         (goal == Goal::packed && name == "documents") ||
         (goal == Goal::joint && is_joint(feature));
}

bool hides_by_place(const Feature& feature) {
  return feature.name == "causal" || feature.name == "align=br" || feature.name == "window" ||
         feature.name == "documents";
}

bool disturbs(const Feature& feature, Goal goal) {
  return (goal == Goal::all_equal && changes_sizes(feature)) ||
         (goal == Goal::large && feature.name.starts_with("data=")) ||
         (goal == Goal::uneven && feature.name.starts_with("layout=")) ||
         ((goal == Goal::uneven || goal == Goal::other_kv_len) && is_joint(feature)) ||
         (goal == Goal::packed && (feature.name == "kv" || feature.name == "shards")) ||
         ((goal == Goal::joint || goal == Goal::masked) && hides_by_place(feature));
}

// A mask has columns of joint keys as well: one case shows both.
void add_joint_tokens(Case& c, const Abilities& abilities, const Pick& pick) {
  std::vector<const Feature*> places;
  for (const Feature* feature : abilities.supported) {
    if (is_joint(*feature)) places.push_back(feature);
  }
  if (!places.empty()) places[pick(places.size())]->set(c, pick);
}

// What a row's later blocks say counts as it is where the first one is empty: scores so low that
// exp takes them for nothing tell.
void lower_behind_mask(Case& c, const Abilities& abilities, const Pick& pick) {
  if (c.problem.mask == Mask::none || !abilities.has("data=low")) return;
  if (percent(pick, 40)) c.problem.data = Data::low;
}

void set_features(Case& c, const Abilities& abilities, Goal goal, const Pick& pick) {
  std::vector<const Feature*> leading;
  for (const Feature* feature : abilities.supported) {
    if (wanted(*feature, goal)) leading.push_back(feature);
  }
  for (const Feature* feature : abilities.supported) {
    if (feature->percent == 0 || wanted(*feature, goal) || disturbs(*feature, goal)) continue;
    if (percent(pick, feature->percent)) {
      feature->set(c, pick);
    }
  }
  if (!leading.empty()) leading[pick(leading.size())]->set(c, pick);
  if (goal == Goal::masked) add_joint_tokens(c, abilities, pick);
  lower_behind_mask(c, abilities, pick);
  const bool of_layout = goal == Goal::zigzag || goal == Goal::striped;
  if (of_layout && abilities.has("causal")) c.problem.causal = true;
}

// Sizes of which one has to fit the subject: head_dims are multiples, and where S_local = H = D the
// others are the same ones.
LocalSizes fitted(LocalSizes sizes, const Mesh& mesh, const Abilities& abilities) {
  const bool equal = sizes.tokens == sizes.head_dim && sizes.heads * mesh.ulysses == sizes.head_dim;
  const int64_t multiple = abilities.head_dim_multiple;
  if (equal && sizes.tokens > 1 && sizes.head_dim % multiple != 0) {
    sizes.head_dim = std::lcm<int64_t>(multiple, mesh.ulysses);
    sizes.tokens = sizes.head_dim;
    sizes.heads = sizes.head_dim / mesh.ulysses;
  }
  sizes.tokens = std::max(sizes.tokens, abilities.least_tokens);
  return sizes;
}

void set_sizes(Case& c, const LocalSizes& sizes) {
  Problem& p = c.problem;
  p.batch = sizes.batch;
  p.q_len = p.kv_len = sizes.tokens * c.mesh.world();
  p.heads = p.kv_heads = sizes.heads * c.mesh.ulysses;
  p.head_dim = p.v_head_dim = sizes.head_dim;
}

// Whether some attention of the case has one query a rank with one key a rank. A model has one
// among its q_len own tokens, and may have one of a rank's own with the others.
bool has_one_pair(const Case& c, SubjectKind kind) {
  const Problem& p = c.problem;
  if (kind != SubjectKind::model) return std::max(p.q_len, p.kv_len) <= c.mesh.ring;
  return p.q_len <= c.mesh.ring || (p.kv_len == 1 && p.q_len < 2 * c.mesh.world());
}

// A later feature may have left such a pair. Lengths that shards and documents add up to stay.
void keep_more_than_a_pair(Case& c, SubjectKind kind) {
  Problem& p = c.problem;
  if (!p.shards.empty() || !p.documents.empty()) return;
  if (has_one_pair(c, kind)) p.q_len += (kind == SubjectKind::model ? 2 : 1) * c.mesh.world();
}

// A merge has few rows and 3 to 5 partials; those of 5 cost the most, as they have 1680 trees.
void set_merge_sizes(Case& c, const Pick& pick) {
  constexpr std::array<int64_t, 10> kPartials{3, 3, 3, 3, 4, 4, 4, 4, 4, 5};
  Problem& p = c.problem;
  p.batch = 1 + pick(2);
  p.q_len = 1 + pick(4);
  p.heads = p.kv_heads = 1 + pick(3);
  p.head_dim = p.v_head_dim = 1 + pick(8);
  p.kv_len = kPartials[pick(kPartials.size())];
}

}  // namespace

int64_t most_local_tokens(const Mesh& mesh) {
  return has_long_cases(mesh) ? kMostTokensEver : kMostLocalTokens;
}

int64_t most_head_dim(const Mesh& mesh) {
  return has_long_cases(mesh) ? kMostHeadDimEver : kMostHeadDim;
}

void drop_what_does_not_fit(Problem& p) {
  if (!sees_every_place(p) || p.joint.tokens >= std::min(p.q_len, p.kv_len)) drop_joint_tokens(p);
  if (!documents_fit(p)) p.documents.clear();
}

Case draw_case(const StreamSpec& spec, const Mesh& mesh, const Abilities& abilities, Goal goal,
               const Pick& pick) {
  Case c = plain_case(spec, mesh);
  if (spec.kind == SubjectKind::merge) {
    set_merge_sizes(c, pick);
  } else {
    set_sizes(c, fitted(draw_sizes(mesh, goal, pick), mesh, abilities));
  }
  c.seed = static_cast<uint64_t>(pick(int64_t{1} << 32));
  set_features(c, abilities, goal, pick);
  drop_what_does_not_fit(c.problem);
  if (!abilities.takes_one_pair) keep_more_than_a_pair(c, spec.kind);
  // A model without other tokens, whatever was made of both lengths.
  if (spec.kind == SubjectKind::model && !abilities.has("kv")) c.problem.kv_len = c.problem.q_len;
  round_head_dims(c.problem, abilities.head_dim_multiple);
  const bool by_place = c.problem.layout == Layout::striped && !sees_every_place(c.problem);
  if (by_place && !abilities.stripes_by_place) c.problem.layout = Layout::contiguous;
  return c;
}

std::optional<Case> draw_refused_case(const StreamSpec& spec, const Mesh& mesh,
                                      const Abilities& abilities, const Pick& pick) {
  if (!abilities.plain) return draw_case(spec, mesh, abilities, Goal::any, pick);
  if (abilities.refused.empty()) return std::nullopt;
  Case c = draw_case(spec, mesh, abilities, Goal::any, pick);
  abilities.refused[pick(abilities.refused.size())]->set(c, pick);
  return c;
}

}  // namespace attncheck
