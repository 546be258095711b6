#include "impl/contract/context_parallel_config.h"

#include <gtest/gtest.h>

#include "impl/backends/math.h"
#include "impl/contract/attention_options.h"
#include "impl/ring/ring_attention.h"
#include "impl/ulysses/ulysses_attention.h"
#include "impl/unified/unified_attention.h"
#include "problem/case_text.h"

namespace attncheck {
namespace {

using Faults = std::vector<std::string>;

TEST(ContextParallelConfig, IsByDefaultOneRankAndRight) {
  const ContextParallelConfig config;
  EXPECT_EQ(config.mesh(), Mesh());
  EXPECT_EQ(faults_of(config, 1), Faults{});
  AttentionOptions options;
  config.fill(options);
  EXPECT_EQ(options.layout, Layout::contiguous);
  EXPECT_EQ(options.rotate, Rotate::allgather);
  EXPECT_TRUE(options.convert_to_fp32);
}

TEST(ContextParallelConfig, GivesTheMeshAndItsMethod) {
  const ContextParallelConfig config{
      .ring_degree = 3, .ulysses_degree = 2, .mesh_order = MeshOrder::ur};
  EXPECT_EQ(config.mesh(), (Mesh{3, 2, MeshOrder::ur}));
  EXPECT_EQ(method_for(config.mesh()), Method::unified);
  EXPECT_EQ(method_for({3, 1}), Method::ring);
  EXPECT_EQ(method_for({1, 3}), Method::ulysses);
  EXPECT_EQ(method_for({1, 1}), Method::ulysses);
}

TEST(ContextParallelConfig, TheWordOfAMethodIsTheNameOfItsImplementation) {
  for (const Implementation& implementation :
       {ring_implementation(), ulysses_implementation(), unified_implementation()}) {
    EXPECT_EQ(to_text(implementation.method), implementation.name);
  }
  EXPECT_STREQ(to_text(Method::other), "other");
}

TEST(ContextParallelConfig, OfACaseFillsWhatTheCaseSays) {
  const Case c = parse_case(
      "impl=unified mesh=2x3 order=ur q=12 h=3 d=2 layout=zigzag rotate=p2p fp32=0 return_lse=0");
  EXPECT_EQ(config_of(c),
            (ContextParallelConfig{2, 3, false, Rotate::p2p, Layout::zigzag, MeshOrder::ur}));
  const Backend math = math_backend();
  const AttentionOptions options = attention_options(c, math);
  EXPECT_EQ(options.layout, Layout::zigzag);
  EXPECT_EQ(options.rotate, Rotate::p2p);
  EXPECT_FALSE(options.convert_to_fp32);
  EXPECT_FALSE(options.return_lse);
  EXPECT_EQ(options.q_len, 12);
}

TEST(ContextParallelConfig, DegreesThatAreNotTheWorldComeWithThoseThatAre) {
  EXPECT_EQ(faults_of({.ring_degree = 2, .ulysses_degree = 2}, 6),
            Faults{"ring_degree=2 x ulysses_degree=2 is 4 ranks, but the world has 6: use degrees "
                   "with that product, e.g. 6 x 1, 3 x 2, 2 x 3, 1 x 6"});
  EXPECT_EQ(faults_of({.ring_degree = 4096, .ulysses_degree = 4096}, 1),
            Faults{"ring_degree=4096 x ulysses_degree=4096 is 16777216 ranks, but the world has 1: "
                   "use degrees with that product, e.g. 1 x 1"});
  EXPECT_EQ(faults_of({}, 0), Faults{"the world has 0 ranks: expected one or more"});
}

TEST(ContextParallelConfig, AllThatIsWrongIsReportedAtOnce) {
  Problem p;
  p.heads = 5;
  p.kv_heads = 2;
  p.kv_len = 0;
  p.shards = {1, 2};
  p.window = -1;
  p.documents = {4, 2};
  p.joint = {JointPlace::front, 3};
  const ContextParallelConfig config{.ring_degree = 0,
                                     .ulysses_degree = 5000,
                                     .rotate_method = static_cast<Rotate>(3),
                                     .layout = Layout::striped,
                                     .mesh_order = static_cast<MeshOrder>(-1)};
  EXPECT_EQ(
      faults_of(config, 4, &p),
      (Faults{"ring_degree=0: expected 1 to 4096; 1 is no ring",
              "ulysses_degree=5000: expected 1 to 4096; 1 is no Ulysses",
              "rotate_method=3 is none of allgather|p2p|alltoall", "mesh_order=-1 is none of ru|ur",
              "h=5 is no multiple of hkv=2", "q=1 and kv=0: both need a token",
              "shards=1,2 cuts a contiguous sequence: use layout=contiguous, or leave it out",
              "shards=1,2 needs a length for each of the 4 ranks of the mesh",
              "shards=1,2 adds up to 3: expected q=1 or kv=0, joint tokens aside",
              "window=-1 is less than 0 places",
              "documents=4,2 adds up to 6: expected q=1 and kv=0",
              "joint tokens have no place among causal ones, a window or documents: leave joint= "
              "or these out"}));
}

Implementation implementation_for(const Mesh& mesh) {
  if (method_for(mesh) == Method::ring) return ring_implementation();
  return mesh.ring == 1 ? ulysses_implementation() : unified_implementation();
}

// With shards that fit and with others, on layouts that have them and that do not.
TEST(ContextParallelConfig, WhatIsRightIsWhatTheImplementationOfItsMeshSupports) {
  const Backend math = math_backend();
  for (const char* mesh : {"1x1", "3x1", "1x3", "2x2", "1x4"}) {
    for (const char* layout : {"contiguous", "zigzag", "striped"}) {
      for (const char* rotate : {"allgather", "p2p", "alltoall"}) {
        Case c = parse_case(std::string("impl=x q=12 kv=7 h=5 d=2 mesh=") + mesh +
                            " layout=" + layout + " rotate=" + rotate);
        const Implementation fits = implementation_for(c.mesh);
        const int world = c.mesh.world();
        for (const std::vector<int64_t>& shards :
             {std::vector<int64_t>{}, std::vector<int64_t>(world, 12 / world), {7}, {13, -1}}) {
          c.problem.shards = shards;
          const bool right = faults_of(config_of(c), world, &c.problem).empty();
          EXPECT_EQ(right, fits.supports(c, math).ok) << to_text(c);
        }
      }
    }
  }
}

}  // namespace
}  // namespace attncheck
