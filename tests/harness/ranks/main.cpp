#include <gtest/gtest.h>

#include "harness/gloo_transport.h"
#include "tests/harness/ranks/faulty_subjects.h"

int main(int argc, char** argv) {
  const attncheck::Registry registry = attncheck::faulty_subjects();
  if (attncheck::is_gloo_rank()) return attncheck::serve_gloo_rank(registry);
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
