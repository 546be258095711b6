#include <gtest/gtest.h>

#include "harness/process_transport.h"
#include "tests/harness/ranks/faulty_subjects.h"

int main(int argc, char** argv) {
  const attncheck::Registry registry = attncheck::faulty_subjects();
  if (attncheck::is_rank_process()) return attncheck::serve_rank_process(registry);
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
