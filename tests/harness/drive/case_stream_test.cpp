#include "harness/drive/case_stream.h"

#include <algorithm>
#include <numeric>
#include <set>

#include <gtest/gtest.h>

#include "harness/drive/cells.h"
#include "problem/case_text.h"

namespace attncheck {
namespace {

// What an implementation like unified says: sizes that the mesh divides, and few features.
Support even_only(const Case& c) {
  const Problem& p = c.problem;
  const int world = c.mesh.world();
  if (p.q_len % world != 0 || p.kv_len % world != 0) return Support::no("lengths");
  if (p.heads % c.mesh.ulysses != 0 || p.kv_heads % c.mesh.ulysses != 0)
    return Support::no("heads");
  if (p.mask != Mask::none || !p.shards.empty() || c.dropout > 0) return Support::no("mask");
  if (p.window || !p.documents.empty()) return Support::no("window or documents");
  if (p.joint.tokens > 0) return Support::no("joint tokens");
  if (p.layout != Layout::contiguous || c.mesh.order != MeshOrder::ru) return Support::no("layout");
  return c.rotate == Rotate::alltoall ? Support::no("rotate") : Support::yes();
}

// Every layout, length, mask, window and documents as well.
Support every_split(const Case& c) {
  const Problem& p = c.problem;
  if (p.heads % c.mesh.ulysses != 0 || p.kv_heads % c.mesh.ulysses != 0)
    return Support::no("heads");
  if (c.dropout > 0) return Support::no("dropout");
  if (!documents_fit(p)) return Support::no("documents");
  if (p.joint.tokens > 0 && !sees_every_place(p)) return Support::no("joint tokens");
  if (p.shards.empty()) return Support::yes();
  const int64_t sum = std::accumulate(p.shards.begin(), p.shards.end(), int64_t{0});
  const int64_t joint = p.joint.tokens;
  const bool fits =
      p.layout == Layout::contiguous && (sum == p.q_len - joint || sum == p.kv_len - joint);
  return fits ? Support::yes() : Support::no("shards");
}

Support ring_only(const Case& c) {
  return c.mesh.ulysses == 1 ? even_only(c) : Support::no("a ring needs a mesh Rx1");
}

StreamSpec spec_on(std::vector<Mesh> meshes) {
  StreamSpec spec;
  spec.impl = "subject";
  spec.meshes = std::move(meshes);
  return spec;
}

StreamSpec wide_spec() {
  return spec_on({{1, 1}, {2, 1}, {3, 1}, {1, 3}, {2, 2}, {3, 2}, {2, 3}});
}

TEST(CaseStream, DrawsWhatTheSubjectSupports) {
  CaseStream stream(wide_spec(), even_only, 1);
  for (int i = 0; i < 500; ++i) {
    const std::optional<Case> c = stream.next();
    ASSERT_TRUE(c);
    EXPECT_TRUE(even_only(*c)) << to_text(*c);
    EXPECT_EQ(parse_case(to_text(*c)), *c);
  }
  EXPECT_LT(stream.counts().refused_share(), 0.02);
}

TEST(CaseStream, FillsEveryCellInTwelveCases) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    CaseStream stream(wide_spec(), every_split, seed);
    EXPECT_EQ(stream.empty_cells().size(), all_cells().size());
    for (int i = 0; i < 12; ++i) stream.next();
    EXPECT_TRUE(stream.empty_cells().empty()) << stream.empty_cells().front();
  }
}

// As cuDNN takes them.
Support multiples_of_8(const Case& c) {
  const Problem& p = c.problem;
  if (p.head_dim % 8 != 0 || p.v_head_dim % 8 != 0) return Support::no("head_dim");
  const int64_t ring = c.mesh.ring;
  if ((p.q_len + ring - 1) / ring == 1 && (p.kv_len + ring - 1) / ring == 1) {
    return Support::no("one query, one key");
  }
  return every_split(c);
}

TEST(CaseStream, DrawsHeadDimsThatTheSubjectTakes) {
  CaseStream stream(wide_spec(), multiples_of_8, 1);
  int own_v = 0;
  for (int i = 0; i < 500; ++i) {
    const std::optional<Case> c = stream.next();
    ASSERT_TRUE(c);
    EXPECT_EQ(c->problem.head_dim % 8, 0) << to_text(*c);
    own_v += c->problem.v_head_dim != c->problem.head_dim ? 1 : 0;
  }
  EXPECT_GT(own_v, 50);
  EXPECT_LT(stream.counts().refused_share(), 0.05);
  EXPECT_TRUE(stream.empty_cells().empty()) << stream.empty_cells().front();
}

TEST(CaseStream, DrawsMasksOfAllAxesWindowsAndDocuments) {
  CaseStream stream(wide_spec(), every_split, 1);
  std::set<std::string> masks;
  std::set<size_t> documents;
  int windows = 0;
  for (int i = 0; i < 500; ++i) {
    const Problem p = stream.next()->problem;
    masks.insert(to_text(p.mask) + std::to_string(static_cast<int>(p.mask_axes)));
    documents.insert(p.documents.size());
    windows += p.window.has_value() ? 1 : 0;
    EXPECT_TRUE(documents_fit(p));
  }
  EXPECT_EQ(masks.size(), 9u);      // none, and two kinds of four axes
  EXPECT_EQ(documents.size(), 5u);  // none to four
  EXPECT_GT(windows, 20);
  EXPECT_LT(stream.counts().refused_share(), 0.02);
}

TEST(CaseStream, DrawsShardsThatAddUp) {
  CaseStream stream(wide_spec(), every_split, 1);
  int of_queries_alone = 0, of_keys_alone = 0, empty = 0, fewer_tokens_than_ranks = 0;
  for (int i = 0; i < 500; ++i) {
    const Problem p = stream.next()->problem;
    const int64_t sum = std::accumulate(p.shards.begin(), p.shards.end(), int64_t{0});
    if (p.shards.empty()) continue;
    of_queries_alone += sum == p.q_len && sum != p.kv_len ? 1 : 0;
    of_keys_alone += sum != p.q_len && sum == p.kv_len ? 1 : 0;
    empty += std::count(p.shards.begin(), p.shards.end(), 0) > 0 ? 1 : 0;
    fewer_tokens_than_ranks += sum < static_cast<int64_t>(p.shards.size()) ? 1 : 0;
  }
  for (int count : {of_queries_alone, of_keys_alone, empty, fewer_tokens_than_ranks}) {
    EXPECT_GT(count, 0);
  }
  EXPECT_LT(stream.counts().refused_share(), 0.02);
}

TEST(CaseStream, FillsEveryCellOfOneMeshInTenCases) {
  const auto everything = [](const Case&) { return Support::yes(); };
  for (const Mesh& mesh : {Mesh{1, 4}, Mesh{3, 1}, Mesh{2, 2}}) {
    for (uint64_t seed = 1; seed <= 50; ++seed) {
      CaseStream stream(spec_on({mesh}), everything, seed);
      for (int i = 0; i < 10; ++i) stream.next();
      EXPECT_EQ(stream.empty_cells(), std::vector<std::string>()) << to_text(mesh) << " " << seed;
    }
  }
}

TEST(CaseStream, AsksForNoCellThatTheSubjectCannotFill) {
  CaseStream stream(spec_on({{2, 1}, {1, 1}}), ring_only, 1);
  const std::vector<std::string> cells = stream.empty_cells();
  EXPECT_EQ(std::set<std::string>(cells.begin(), cells.end()),
            (std::set<std::string>{"q_len != kv_len", "S_local = H = D", "views", "large logits"}));
}

TEST(CaseStream, IsTheSameForTheSameSeed) {
  CaseStream a(wide_spec(), even_only, 7), b(wide_spec(), even_only, 7);
  CaseStream other(wide_spec(), even_only, 8);
  int differing = 0;
  for (int i = 0; i < 50; ++i) {
    const std::optional<Case> c = a.next();
    EXPECT_EQ(c, b.next());
    differing += c != other.next() ? 1 : 0;
  }
  EXPECT_GT(differing, 40);
}

TEST(CaseStream, TakesMeshesInTurn) {
  CaseStream stream(wide_spec(), even_only, 1);
  std::map<std::string, int> counts;
  for (int i = 0; i < 70; ++i) ++counts[to_text(stream.next()->mesh)];
  EXPECT_EQ(counts.size(), 7u);
  for (const auto& [mesh, count] : counts) EXPECT_EQ(count, 10) << mesh;
}

TEST(CaseStream, KnowsTheMeshesThatTheSubjectDoes) {
  CaseStream stream(wide_spec(), ring_only, 1);
  EXPECT_EQ(stream.meshes().size(), 3u);
  EXPECT_EQ(stream.refused_meshes().at("2x2"), "a ring needs a mesh Rx1");
}

TEST(CaseStream, HasNoCaseWhereTheSubjectDoesNoMesh) {
  CaseStream stream(spec_on({{1, 2}}), ring_only, 1);
  EXPECT_FALSE(stream.next());
}

TEST(CaseStream, DrawsRefusedCasesOfManyKinds) {
  CaseStream stream(spec_on({{2, 1}, {3, 1}}), ring_only, 1);
  std::set<std::string> reasons;
  for (int i = 0; i < 60; ++i) {
    const std::optional<Case> c = stream.next_refused();
    ASSERT_TRUE(c);
    EXPECT_FALSE(ring_only(*c)) << to_text(*c);
    reasons.insert(ring_only(*c).reason);
  }
  EXPECT_EQ(reasons, (std::set<std::string>{"a ring needs a mesh Rx1", "lengths", "mask", "layout",
                                            "rotate", "window or documents", "joint tokens"}));
}

TEST(CaseStream, HasNoRefusedCaseOfASubjectThatTakesEverything) {
  CaseStream stream(
      spec_on({{1, 1}}), [](const Case&) { return Support::yes(); }, 1);
  EXPECT_FALSE(stream.next_refused());
}

// What cuDNN's backward does not take: one query of a ring rank with one key there. A model meets
// it among its own tokens, and with the others, of which each rank has all.
Support more_than_a_pair(const Case& c) {
  const Problem& p = c.problem;
  const bool model = c.impl.starts_with("model:");
  const bool own = p.q_len <= c.mesh.ring && (model || p.kv_len <= c.mesh.ring);
  const bool others = model && p.kv_len == 1 && p.q_len < 2 * c.mesh.world();
  return own || others ? Support::no("one query with one key") : every_split(c);
}

TEST(CaseStream, DrawsMoreThanOneQueryWithOneKeyWhereTheSubjectWantsIt) {
  for (const SubjectKind kind : {SubjectKind::implementation, SubjectKind::model}) {
    StreamSpec spec = wide_spec();
    spec.kind = kind;
    if (kind == SubjectKind::model) spec.impl = "model:subject";
    CaseStream stream(spec, more_than_a_pair, 1);
    bool few = false;
    for (int i = 0; i < 1000; ++i) {
      const Case c = stream.next().value();
      few = few || c.problem.q_len < c.mesh.world();
    }
    EXPECT_LT(stream.counts().refused_share(), 0.01) << spec.impl;
    EXPECT_TRUE(few) << "fewer tokens than ranks stay where other keys are more";
  }
}

TEST(CaseStream, CountsDrawsThatWereRefusedAfterAll) {
  const SupportsCase odd_heads = [](const Case& c) {
    return c.problem.batch % 2 == 1 ? even_only(c) : Support::no("an even batch");
  };
  CaseStream stream(wide_spec(), odd_heads, 1);
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(stream.next());
  EXPECT_GT(stream.counts().refused_share(), kMostRefusedDraws);
}

TEST(CaseStream, TakesGivenSizesInTurnForEveryMesh) {
  StreamSpec spec = spec_on({{3, 1}, {2, 2}});
  Problem longer, shorter;
  longer.q_len = longer.kv_len = 100;
  longer.heads = longer.kv_heads = longer.head_dim = longer.v_head_dim = 4;
  shorter = longer;
  shorter.q_len = shorter.kv_len = 10;
  spec.dtype = DType::f32;
  spec.shapes = {longer, shorter};
  CaseStream stream(spec, even_only, 1);
  std::multiset<int64_t> lengths;
  for (int i = 0; i < 4; ++i) {
    const std::optional<Case> c = stream.next();
    ASSERT_TRUE(c);
    EXPECT_EQ(c->problem.head_dim, 4);
    EXPECT_EQ(c->problem.dtype, DType::f32);
    EXPECT_FALSE(c->problem.causal);
    EXPECT_EQ(c->problem.q_len % (2 * c->mesh.world()), 0);
    lengths.insert(c->problem.q_len);
  }
  EXPECT_EQ(lengths, (std::multiset<int64_t>{8, 12, 102, 104}));
  EXPECT_EQ(stream.empty_cells(), std::vector<std::string>());
}

TEST(CaseStream, GivesCollectivesTaggedData) {
  StreamSpec spec = wide_spec();
  spec.kind = SubjectKind::collective;
  CaseStream stream(spec, even_only, 1);
  for (int i = 0; i < 30; ++i) EXPECT_EQ(stream.next()->problem.data, Data::tagged);
  EXPECT_TRUE(stream.empty_cells().empty());
}

TEST(CaseStream, GivesMergesThreeToFivePartialsOnOneRank) {
  StreamSpec spec;
  spec.impl = "merge:any";
  spec.kind = SubjectKind::merge;
  spec.meshes = {parse_mesh("1x1"), parse_mesh("2x1")};
  const SupportsCase one_rank = [](const Case& c) {
    return c.mesh.world() == 1 ? Support::yes() : Support::no("mesh=1x1");
  };
  CaseStream stream(spec, one_rank, 1);
  std::set<int64_t> partials;
  for (int i = 0; i < 60; ++i) partials.insert(stream.next()->problem.kv_len);
  EXPECT_EQ(partials, (std::set<int64_t>{3, 4, 5}));
  EXPECT_TRUE(stream.empty_cells().empty());
}

}  // namespace
}  // namespace attncheck
