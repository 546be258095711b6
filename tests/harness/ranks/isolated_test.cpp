#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "harness/drive/report_json.h"
#include "harness/run_lab.h"
#include "problem/case_text.h"
#include "tests/harness/ranks/faulty_subjects.h"
#include "tests/harness/ranks/rank_checks.h"

namespace attncheck {
namespace {

const Registry& subjects() {
  static const Registry registry = faulty_subjects();
  return registry;
}

std::vector<std::string> lines_of(const RankTrace& trace) {
  std::vector<std::string> lines;
  for (const Finding& finding : trace.findings) {
    lines.push_back(std::string(to_text(finding.kind)) + " " + finding.operation + " " +
                    finding.text);
  }
  for (const Received& part : trace.received) {
    lines.push_back(part.operation + " from " + std::to_string(part.peer) + ": " +
                    std::to_string(part.bytes) + " in " + std::to_string(part.messages));
  }
  return lines;
}

// One request after another, in the same groups: bits, facts, errors, memory and traces.
void expect_the_same(const std::vector<Request>& requests, int64_t send_buffer = 0) {
  RunLab inside(subjects(), in_process(subjects(), send_buffer));
  RunLab apart(subjects(), in_processes(processes_of_this_program(), send_buffer));
  for (const Request& request : requests) {
    SCOPED_TRACE(to_text(request));
    const Observation &expected = inside.observe(request), &got = apart.observe(request);
    ASSERT_EQ(got.ranks.size(), expected.ranks.size());
    for (size_t rank = 0; rank < expected.ranks.size(); ++rank) {
      EXPECT_EQ(to_bytes(got.ranks[rank]), to_bytes(expected.ranks[rank])) << rank;
      ASSERT_TRUE(got.ranks[rank].trace.has_value());
      EXPECT_EQ(lines_of(*got.ranks[rank].trace), lines_of(*expected.ranks[rank].trace)) << rank;
    }
  }
}

Request request_of(const std::string& text) {
  return base_request(parse_case(text));
}

TEST(IsolatedSim, GivesTheSameBits) {
  expect_the_same({request_of("impl=ring mesh=3x1 q=7 d=3"),
                   request_of("impl=unified mesh=2x2 q=8 h=2 d=3"),
                   request_of("impl=unified mesh=2x2 q=8 h=2 d=3 order=ur"),
                   request_of("impl=model:decoder mesh=2x1 q=4 h=2 d=4")});
}

TEST(IsolatedSim, FollowsTheSameSchedules) {
  expect_the_same({request_of("impl=ring mesh=4x1 q=8 d=1 rotate=p2p schedule=pct:3:17"),
                   request_of("impl=ring mesh=4x1 q=8 d=1 schedule=random:5")});
}

TEST(IsolatedSim, SeesTheSameExchangesMemoryAndWorlds) {
  Request watched = request_of("impl=ring mesh=3x1 q=6 d=2 rotate=p2p");
  watched.watch = true;
  Request embedded = request_of("impl=ring mesh=2x1 q=6 d=2");
  embedded.embedded = true;
  Request fresh = request_of("impl=ring mesh=3x1 q=6 d=2");
  fresh.fresh_ranks = true;
  expect_the_same({watched, embedded, fresh});
}

TEST(IsolatedSim, BuffersTheSameSends) {
  expect_the_same({request_of("impl=ring mesh=3x1 q=6 d=2 rotate=p2p")}, 1 << 20);
}

TEST(IsolatedSim, GivesErrorsAndDeadlocksAsTheyAre) {
  expect_the_same({request_of("impl=ring_that_throws mesh=3x1 q=6 d=2"),
                   request_of("impl=ring_that_reduces_once_more mesh=2x1 q=6 d=2")});
}

StreamSpec spec_of(const std::string& impl) {
  StreamSpec spec;
  spec.impl = impl;
  spec.meshes = {{2, 1}, {3, 1}};
  return spec;
}

TEST(IsolatedSim, GivesTheSameReport) {
  for (const char* impl : {"ring", "ring_of_wrong_dtype", "ring_that_throws"}) {
    const CheckReport inside = check(subjects(), in_process(subjects()), spec_of(impl), 12);
    const CheckReport apart =
        check(subjects(), in_processes(processes_of_this_program()), spec_of(impl), 12);
    EXPECT_EQ(report_json(apart), report_json(inside)) << impl;
    EXPECT_GT(apart.runs(), 12);
  }
  EXPECT_FALSE(has_children());
}

Observation observed(const std::string& text, ProcessOptions options) {
  RunLab lab(subjects(), in_processes(options));
  return lab.observe(request_of(text));
}

TEST(IsolatedSim, NamesTheRankThatEndedTheProcess) {
  const Observation observation =
      observed("impl=ring_that_segfaults mesh=3x1 q=6 d=2", processes_of_this_program());
  const RankResult* lost = lost_rank(observation);
  ASSERT_NE(lost, nullptr);
  EXPECT_EQ(lost->rank, 1);
  EXPECT_EQ(error_text(*lost).find("rank 1 was ended by signal 11 (Segmentation fault)"), 0u)
      << error_text(*lost);
  EXPECT_EQ(error_text(observation.ranks[2]), "rank 2 was in one process with rank 1");
}

TEST(IsolatedSim, NamesTheRankThatWouldRunForEver) {
  ProcessOptions options = processes_of_this_program();
  options.timeout = std::chrono::milliseconds(1500);
  const Observation observation = observed("impl=ring_that_loops mesh=3x1 q=6 d=2", options);
  const RankResult* lost = lost_rank(observation);
  ASSERT_NE(lost, nullptr);
  EXPECT_EQ(lost->rank, 1);
  EXPECT_NE(error_text(*lost).find("it has 1500 ms; its process is running"), std::string::npos)
      << error_text(*lost);
}

TEST(IsolatedSim, NamesTheMeshRankInALargerWorld) {
  Request embedded = request_of("impl=ring_that_aborts mesh=2x1 q=6 d=2");
  embedded.embedded = true;
  RunLab lab(subjects(), in_processes(processes_of_this_program()));
  const RankResult* lost = lost_rank(lab.observe(embedded));
  ASSERT_NE(lost, nullptr);
  EXPECT_EQ(lost->rank, 1);
}

TEST(IsolatedSim, GoesOnAfterALoss) {
  RunLab lab(subjects(), in_processes(processes_of_this_program()));
  EXPECT_NE(lost_rank(lab.observe(request_of("impl=ring_that_exits mesh=2x1 q=4 d=1"))), nullptr);
  const Observation& next = lab.observe(request_of("impl=ring mesh=2x1 q=4 d=1"));
  EXPECT_EQ(first_failed_rank(next), nullptr);
  EXPECT_TRUE(all_ranks_have(next, "dq"));
}

}  // namespace
}  // namespace attncheck
