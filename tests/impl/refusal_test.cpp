#include <functional>

#include <gtest/gtest.h>

#include "impl/allgather_kv/allgather_kv_attention.h"
#include "impl/backends/built_in.h"
#include "impl/backends/flash_cpu.h"
#include "impl/backends/math.h"
#include "impl/contract/attention_options.h"
#include "impl/contract/dtypes.h"
#include "impl/ring/ring_attention.h"
#include "impl/ulysses/ulysses_attention.h"
#include "impl/unified/unified_attention.h"
#include "tests/impl/mesh_testing.h"
#include "tests/impl/problems_testing.h"

namespace attncheck {
namespace {

using testing::normal;

Case supported(const Mesh& mesh) {
  Case c;
  c.mesh = mesh;
  c.problem.q_len = c.problem.kv_len = 12;
  c.problem.heads = c.problem.kv_heads = 12;
  return c;
}

// The tokens of a rank when the first ranks hold one more.
int64_t tokens(const Case& c, int64_t len, int rank) {
  const int world = c.mesh.world();
  return len / world + (rank < len % world ? 1 : 0);
}

void call(const Implementation& implementation, const Case& c, const Backend& backend,
          const MeshGroups& groups) {
  const Problem& p = c.problem;
  const int64_t q_len = tokens(c, p.q_len, groups.rank), kv_len = tokens(c, p.kv_len, groups.rank);
  implementation.attention(normal({p.batch, q_len, p.heads, p.head_dim}, 1),
                           normal({p.batch, kv_len, p.kv_heads, p.head_dim}, 2),
                           normal({p.batch, kv_len, p.kv_heads, p.v_head_dim}, 3),
                           attention_options(c, backend), groups);
}

// supports says no and gives a reason, and the call throws that reason on every rank.
void expect_refused(const Implementation& implementation, const Case& c, const Backend& backend) {
  const Support support = implementation.supports(c, backend);
  ASSERT_FALSE(support.ok);
  SCOPED_TRACE(implementation.name + ": " + support.reason);
  const auto errors = testing::errors_on_mesh(
      c.mesh, [&](const MeshGroups& groups) { call(implementation, c, backend, groups); });
  for (const auto& error : errors) {
    ASSERT_TRUE(error.has_value());
    EXPECT_NE(error->find(support.reason), std::string::npos) << *error;
  }
}

struct Refused {
  const char* what;
  std::function<void(Case&)> make;
};

const std::vector<Refused> kRefusedByAll{
    {"heads", [](Case& c) { c.problem.kv_heads = 5; }},
    {"documents of another length",
     [](Case& c) {
       c.problem.documents = {5, 6};
     }},
    {"a document without tokens",
     [](Case& c) {
       c.problem.documents = {12, 0};
     }},
    {"a negative window", [](Case& c) { c.problem.window = -1; }},
    {"dropout", [](Case& c) { c.dropout = 0.1; }},
    {"too few shards", [](Case& c) { c.problem.shards = {12}; }},
    {"shards of another length", [](Case& c) { c.problem.shards.assign(c.mesh.world(), 5); }},
    {"a negative shard",
     [](Case& c) {
       c.problem.shards.assign(c.mesh.world(), 0);
       c.problem.shards.front() = 13;
       c.problem.shards.back() = -1;
     }},
    {"shards of a zigzag",
     [](Case& c) {
       c.problem.shards.assign(c.mesh.world(), 12 / c.mesh.world());
       c.problem.layout = Layout::zigzag;
     }},
};

const std::vector<std::pair<Implementation, Mesh>>& subjects() {
  static const std::vector<std::pair<Implementation, Mesh>> all{
      {ring_implementation(), {3, 1}},
      {ulysses_implementation(), {1, 3}},
      {unified_implementation(), {2, 2}},
      {allgather_kv_implementation(), {3, 1}}};
  return all;
}

TEST(Refusal, IsAnErrorOnEveryRank) {
  for (const auto& [implementation, mesh] : subjects()) {
    for (const auto& refused : kRefusedByAll) {
      SCOPED_TRACE(refused.what);
      Case c = supported(mesh);
      refused.make(c);
      expect_refused(implementation, c, math_backend());
    }
  }
}

TEST(Refusal, DoesNotMeetWhatIsSupported) {
  for (const auto& [implementation, mesh] : subjects()) {
    const Case c = supported(mesh);
    const Backend backend = math_backend();
    EXPECT_TRUE(implementation.supports(c, backend).ok);
    testing::run_on_mesh(
        mesh, [&](const MeshGroups& groups) { call(implementation, c, backend, groups); });
  }
}

TEST(Refusal, NamesTheAxisOfTheMesh) {
  expect_refused(ring_implementation(), supported({1, 2}), math_backend());
  expect_refused(ring_implementation(), supported({2, 2}), math_backend());
  expect_refused(ulysses_implementation(), supported({2, 1}), math_backend());
  expect_refused(allgather_kv_implementation(), supported({1, 2}), math_backend());
}

TEST(Refusal, OfAWayToMoveKeysThatAreGatheredNamesWhatDoesIt) {
  Case c = supported({3, 1});
  c.rotate = Rotate::alltoall;
  expect_refused(allgather_kv_implementation(), c, math_backend());
  c.rotate = Rotate::p2p;
  expect_refused(allgather_kv_implementation(), c, math_backend());
  EXPECT_EQ(allgather_kv_implementation().supports(c, math_backend()).reason,
            "rotate=p2p is a ring's way to move keys, which are gathered at once here: use "
            "rotate=allgather, or impl=ring");
}

TEST(Refusal, OfShardsSaysWhatWouldFit) {
  Case c = supported({3, 1});
  c.problem.shards = {4, 4, 5};
  EXPECT_EQ(ring_implementation().supports(c, math_backend()).reason,
            "shards=4,4,5 adds up to 13: expected q=12 or kv=12");
}

TEST(Refusal, MeetsWhatTheBackendRefuses) {
  for (const auto& [implementation, mesh] : subjects()) {
    Case c = supported(mesh);
    c.problem.v_head_dim = 2;
    expect_refused(implementation, c, flash_cpu_backend());
  }
}

// One rank alone calls: it would wait for the others if it communicated.
TEST(Refusal, OfDropoutComesBeforeAnyCommunicationOnEveryBackend) {
  for (const Backend& backend : built_in_backends()) {
    for (const auto& [implementation, mesh] : subjects()) {
      SCOPED_TRACE(implementation.name + " on " + backend.name);
      Case c = supported(mesh);
      c.dropout = 0.1;
      c.return_lse = backend.contract.lse;
      EXPECT_FALSE(implementation.supports(c, backend).ok);
      const auto errors = testing::errors_on_mesh(mesh, [&](const MeshGroups& groups) {
        if (groups.rank == 1) call(implementation, c, backend, groups);
      });
      EXPECT_FALSE(errors[0].has_value()) << *errors[0];
      ASSERT_TRUE(errors[1].has_value());
      EXPECT_NE(errors[1]->find("dropout is not supported"), std::string::npos) << *errors[1];
    }
  }
}

TEST(Refusal, OfABackendWithoutLseNamesThoseThatWork) {
  const Backend native = testing::built_in_backend("native");
  Case c = supported({3, 1});
  c.return_lse = false;
  expect_refused(ring_implementation(), c, native);
  EXPECT_EQ(ring_implementation().supports(c, native).reason,
            "native returns no log-sum-exp, which a ring needs: use math, flash_cpu or auto");
  c.mesh = {2, 2};
  c.problem.v_head_dim = 2;
  expect_refused(unified_implementation(), c, native);
  EXPECT_EQ(unified_implementation().supports(c, native).reason,
            "native returns no log-sum-exp, which a ring needs: use math or auto");
}

TEST(Refusal, OfGatheredKeysOnABackendWithoutLseIsOfCausalStripesAlone) {
  const Backend native = testing::built_in_backend("native");
  Case c = supported({3, 1});
  c.return_lse = false;
  for (const Layout layout : {Layout::contiguous, Layout::zigzag, Layout::striped}) {
    c.problem.layout = layout;
    for (const bool causal : {false, true}) {
      c.problem.causal = causal;
      const bool stripes = causal && layout == Layout::striped;
      EXPECT_EQ(allgather_kv_implementation().supports(c, native).ok, !stripes);
    }
  }
  expect_refused(allgather_kv_implementation(), c, native);
  EXPECT_EQ(allgather_kv_implementation().supports(c, native).reason,
            "native returns no log-sum-exp, which layout=striped with causal=1, "
            "window= or documents= needs: use math, "
            "flash_cpu or auto");
}

TEST(Refusal, MeetsABackendWithoutLseWhereOneIsNeeded) {
  Backend silent = math_backend();
  silent.contract.lse = false;
  for (const auto& [implementation, mesh] : subjects()) {
    expect_refused(implementation, supported(mesh), silent);
  }
  Case c = supported({1, 3});
  c.return_lse = false;
  EXPECT_TRUE(ulysses_implementation().supports(c, silent).ok);
  testing::run_on_mesh(
      c.mesh, [&](const MeshGroups& groups) { call(ulysses_implementation(), c, silent, groups); });
}

}  // namespace
}  // namespace attncheck
