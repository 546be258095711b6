#include "harness/drive/support_rows.h"

#include <algorithm>
#include <set>
#include <utility>

#include "harness/drive/features.h"

namespace attncheck {
namespace {

using Names = std::vector<std::string>;

const Feature* feature_named(const std::string& name) {
  for (const Feature& feature : all_features()) {
    if (feature.name == name) return &feature;
  }
  return nullptr;
}

void set_feature(const Feature& feature, Case& c) {
  feature.set(c, [](int64_t) { return 0; });
}

// Does what all of them do; nothing where one of them is unknown.
std::function<void(Case&)> setter_of(const Names& names) {
  std::vector<const Feature*> features;
  for (const std::string& name : names) features.push_back(feature_named(name));
  if (std::count(features.begin(), features.end(), nullptr) > 0) return nullptr;
  return [features](Case& c) {
    for (const Feature* feature : features) set_feature(*feature, c);
  };
}

class Rows {
 public:
  // A row that is made of features.
  SupportRow& add(const std::string& label, const Names& features) {
    return add(label, features, setter_of(features));
  }

  // A row that speaks of features and sets a case in its own way.
  SupportRow& add(const std::string& label, const Names& features, std::function<void(Case&)> set) {
    rows_.push_back({label, std::move(set), features});
    return rows_.back();
  }

  // Features in no row so far: each under its own name. What data there are and how long the
  // lengths is nobody's matter.
  void add_others() {
    std::set<std::string> covered;
    for (const SupportRow& row : rows_) covered.insert(row.features.begin(), row.features.end());
    for (const Feature& feature : all_features()) {
      const bool of_data = feature.name.starts_with("data=") || feature.name == "tile lengths";
      if (feature.of_transport || of_data || covered.contains(feature.name)) continue;
      add("`" + feature.name + "`", {feature.name});
    }
  }

  std::vector<SupportRow> take() { return std::move(rows_); }

 private:
  std::vector<SupportRow> rows_;
};

void give_heads(Case& c, int64_t heads, int64_t kv_heads) {
  c.problem.heads = heads;
  c.problem.kv_heads = kv_heads;
}

// The first rank has `moved` tokens more than the others, the last one so many less.
void cut_shards(Case& c, int64_t moved) {
  Problem& p = c.problem;
  p.kv_len = p.q_len;
  p.shards.assign(c.mesh.world(), p.q_len / c.mesh.world());
  p.shards.front() += moved;
  p.shards.back() -= moved;
}

void cut_unevenly(Case& c) {
  cut_shards(c, 1);
}

void cut_unevenly_causal(Case& c) {
  cut_unevenly(c);
  c.problem.causal = true;
}

void cut_with_an_empty_shard(Case& c) {
  cut_shards(c, c.problem.q_len / c.mesh.world());
}

void add_lengths(Rows& rows) {
  rows.add("q_len != kv_len", {"kv"});
  rows.add("causal, q_len = kv_len", {"causal"});
  rows.add("causal, q_len != kv_len, top-left", {"kv", "causal"});
  rows.add("causal, q_len != kv_len, bottom-right", {"align=br"});
  rows.add("zigzag layout", {"layout=zigzag"});
  rows.add("zigzag layout, causal", {"layout=zigzag", "causal"});
  rows.add("striped layout", {"layout=striped"});
  rows.add("striped layout, causal", {"layout=striped", "causal"});
  rows.add("lengths that the ranks do not divide", {"indivisible length"});
  rows.add("uneven shards", {"shards"}, cut_unevenly);
  rows.add("uneven shards, causal", {"shards", "causal"}, cut_unevenly_causal);
  rows.add("a rank without tokens", {"shards"}, cut_with_an_empty_shard);
  rows.add("packed documents", {"documents"});
}

void add_heads(Rows& rows) {
  rows.add("grouped heads", {"hkv"});
  rows.add("fewer KV heads than the Ulysses degree", {"indivisible KV heads"},
           [](Case& c) { give_heads(c, 2 * c.mesh.ulysses, 1); })
      .needs_ulysses = true;
  rows.add("heads that the Ulysses degree does not divide", {"indivisible heads"},
           [](Case& c) { give_heads(c, c.mesh.ulysses + 1, c.mesh.ulysses + 1); })
      .needs_ulysses = true;
  rows.add("head_dim of v unlike that of q", {"dv"});
}

void add_call(Rows& rows) {
  rows.add("boolean mask", {"mask=bool"});
  rows.add("additive mask", {"mask=additive"});
  rows.add("sliding window", {"window"});
  rows.add("joint tokens in front", {"joint=front"});
  rows.add("joint tokens behind", {"joint=rear"});
  rows.add("dropout", {"dropout"});
  rows.add("LSE returned", {}, [](Case& c) { c.return_lse = true; });
  rows.add("gradient through the LSE", {"dlse"});
}

void add_meshes(Rows& rows) {
  rows.add("keys by all-gather", {}).needs_ring = true;
  rows.add("keys by send and receive", {"rotate=p2p"}).needs_ring = true;
  rows.add("keys by all-to-all", {"rotate=alltoall"}).needs_ring = true;
  SupportRow& order = rows.add("either axis of the mesh outside", {"order=ur"});
  order.needs_ring = order.needs_ulysses = true;
}

void add_dtypes(Rows& rows) {
  rows.add("float64", {}, [](Case& c) { c.problem.dtype = DType::f64; });
  rows.add("float32", {}, [](Case& c) { c.problem.dtype = DType::f32; });
  rows.add("bfloat16", {}, [](Case& c) { c.problem.dtype = DType::bf16; });
  rows.add("float16", {}, [](Case& c) { c.problem.dtype = DType::f16; });
}

}  // namespace

std::vector<SupportRow> support_rows() {
  Rows rows;
  rows.add("forward and backward", {});
  add_lengths(rows);
  add_heads(rows);
  add_call(rows);
  add_meshes(rows);
  add_dtypes(rows);
  rows.add_others();
  return rows.take();
}

}  // namespace attncheck
