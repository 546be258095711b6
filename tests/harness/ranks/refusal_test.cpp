#include <filesystem>

#include <gtest/gtest.h>

#include "harness/process_transport.h"
#include "harness/run_lab.h"
#include "problem/case_text.h"
#include "tests/harness/ranks/faulty_subjects.h"

namespace attncheck {
namespace {

// Every rank is called although the case is refused. One that communicated first would wait for
// the others, or fall silent.
TEST(RefusalOnProcesses, OfDropoutIsAnErrorOnEveryRankAndBackend) {
  const Registry registry = faulty_subjects();
  ProcessOptions options;
  options.rank_command = {std::filesystem::read_symlink("/proc/self/exe").string()};
  RunLab lab(registry, {{"gloo", std::make_shared<ProcessTransport>(options)}});
  for (const char* subject : {"ring mesh=2x1", "ulysses mesh=1x2", "unified mesh=1x2"}) {
    for (const Backend& backend : registry.backends) {
      Request request = base_request(
          parse_case(std::string("transport=gloo q=4 h=2 d=1 dropout=0.1 impl=") + subject +
                     " backend=" + backend.name + (backend.contract.lse ? "" : " return_lse=0")));
      request.forced = true;
      SCOPED_TRACE(to_text(request));
      EXPECT_FALSE(lab.supports(request.case_).ok);
      for (const RankResult& rank : lab.observe(request).ranks) {
        ASSERT_TRUE(rank.error.has_value());
        EXPECT_NE(rank.error->text.find("dropout is not supported"), std::string::npos)
            << rank.error->text;
        EXPECT_FALSE(rank.tensors.contains("out"));
      }
    }
  }
}

}  // namespace
}  // namespace attncheck
