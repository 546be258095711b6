#include <cstdio>
#include <cstdlib>

#include <gtest/gtest.h>

#include "gloo_cpu/rank_set.h"
#include "gloo_cpu/serve_rank.h"
#include "tests/gloo_cpu/answers.h"
#include "tests/gloo_cpu/test_support.h"

namespace {

// A parent that somebody else kills: it prints the process ids of its ranks and waits for ranks
// that never answer.
int be_a_parent() {
  using namespace attncheck::gloo_cpu;
  RankSet ranks(options_for(3, std::chrono::seconds(100)));
  for (pid_t pid : ranks.pids()) std::printf("%d ", static_cast<int>(pid));
  std::printf("end\n");
  std::fflush(stdout);
  ranks.run("sleep");
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace attncheck::gloo_cpu;
  if (is_rank_process()) return serve_rank(answer);
  if (std::getenv(kRole) != nullptr) return be_a_parent();
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
