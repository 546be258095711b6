#include "harness/drive/near_case.h"

#include <set>

#include <gtest/gtest.h>

#include "harness/drive/case_stream.h"
#include "harness/drive/cells.h"
#include "harness/drive/draw_case.h"
#include "problem/case_text.h"

namespace attncheck {
namespace {

// Whole heads for every rank, whatever the rest; documents and joint tokens that fit.
Support most_things(const Case& c) {
  const Problem& p = c.problem;
  if (p.heads % c.mesh.ulysses != 0 || p.kv_heads % c.mesh.ulysses != 0) {
    return Support::no("heads");
  }
  if (c.dropout > 0) return Support::no("dropout");
  if (!documents_fit(p)) return Support::no("documents");
  if (p.joint.tokens > 0 && !sees_every_place(p)) return Support::no("joint tokens");
  return p.shards.empty() ? Support::yes() : Support::no("shards");
}

StreamSpec spec_of(const std::string& impl, SubjectKind kind = SubjectKind::implementation) {
  StreamSpec spec;
  spec.impl = impl;
  spec.kind = kind;
  spec.dtype = DType::f32;
  spec.meshes = {{2, 1}, {2, 2}, {1, 3}, {3, 2}};
  return spec;
}

const Case kClosest =
    parse_case("impl=ring mesh=2x2 q=8 kv=12 h=4 hkv=2 d=8 dtype=f32 causal=1 seed=5");

// One that has a case in every cell.
struct FilledStream : CaseStream {
  explicit FilledStream(const StreamSpec& spec) : CaseStream(spec, most_things, 1) {
    while (!empty_cells().empty()) next();
  }
};

TEST(NearCase, IsSupportedAndAnother) {
  FilledStream stream(spec_of("ring"));
  std::set<std::string> texts;
  for (int i = 0; i < 300; ++i) {
    const std::optional<Case> c = stream.next_near({kClosest});
    ASSERT_TRUE(c);
    EXPECT_TRUE(most_things(*c)) << to_text(*c);
    EXPECT_EQ(parse_case(to_text(*c)), *c);
    EXPECT_NE(*c, kClosest);
    EXPECT_EQ(c->problem.heads % c->problem.kv_heads, 0) << to_text(*c);
    texts.insert(to_text(*c));
  }
  EXPECT_GT(texts.size(), 250u);
}

TEST(NearCase, ChangesDataFeaturesAndSizes) {
  FilledStream stream(spec_of("ring"));
  int data_alone = 0, more = 0, fewer = 0, longer = 0, shorter = 0;
  for (int i = 0; i < 600; ++i) {
    Case c = *stream.next_near({kClosest});
    more += c.problem.view != View::none ? 1 : 0;
    fewer += c.problem.causal ? 0 : 1;
    longer += c.problem.kv_len > kClosest.problem.kv_len ? 1 : 0;
    shorter += c.problem.kv_len < kClosest.problem.kv_len ? 1 : 0;
    c.seed = kClosest.seed;
    data_alone += c == kClosest ? 1 : 0;
  }
  EXPECT_GT(data_alone, 60);
  for (const int count : {more, fewer, longer, shorter}) EXPECT_GT(count, 2);
}

TEST(NearCase, KeepsSizesWithinThoseThatAreDrawn) {
  FilledStream stream(spec_of("ring"));
  Case c = kClosest;
  for (int i = 0; i < 1000; ++i) {
    c = *stream.next_near({c});
    const Problem& p = c.problem;
    EXPECT_LE(p.batch, kMostBatches);
    EXPECT_LE(p.head_dim, most_head_dim(c.mesh));
    EXPECT_LE(std::max(p.q_len, p.kv_len),
              (most_local_tokens(c.mesh) + 2) * c.mesh.world() + p.joint.tokens);
  }
}

TEST(NearCase, IsTakenToTheStreamsOwnSubject) {
  StreamSpec spec = spec_of("ulysses");
  spec.backend = "flash";
  spec.lse = false;
  spec.meshes = {{1, 3}};
  FilledStream stream(spec);
  int taken = 0;
  for (int i = 0; i < 50; ++i) {
    const std::optional<Case> c = stream.next_near({kClosest});
    if (!c) continue;
    ++taken;
    EXPECT_EQ(c->impl, "ulysses");
    EXPECT_EQ(c->backend, "flash");
    EXPECT_EQ(c->mesh.ulysses, 3);
  }
  EXPECT_GT(taken, 0);
}

TEST(NearCase, LeavesTheOtherDrawsAsTheyAre) {
  FilledStream alone(spec_of("ring")), beside(spec_of("ring"));
  for (int i = 0; i < 40; ++i) {
    beside.next_near({kClosest});
    EXPECT_EQ(alone.next(), beside.next());
  }
  EXPECT_EQ(alone.counts().drawn, beside.counts().drawn);
}

TEST(NearCase, WaitsUntilEveryCellHasACase) {
  CaseStream stream(spec_of("ring"), most_things, 1);
  EXPECT_FALSE(stream.next_near({kClosest}));
  EXPECT_FALSE(FilledStream(spec_of("ring")).next_near({}));
}

TEST(NearCase, ChangesTheDataOfAMergeAlone) {
  StreamSpec spec = spec_of("merge:any", SubjectKind::merge);
  spec.meshes = {{1, 1}};
  CaseStream stream(
      spec, [](const Case&) { return Support::yes(); }, 1);
  const Case closest = parse_case("impl=merge:any mesh=1x1 q=2 kv=4 d=3 dtype=f32 seed=1");
  for (int i = 0; i < 30; ++i) {
    Case c = *stream.next_near({closest});
    EXPECT_NE(c.seed, closest.seed);
    c.seed = closest.seed;
    EXPECT_EQ(c, closest);
  }
}

}  // namespace
}  // namespace attncheck
