#include "cli/rank_flags.h"

#include <CLI/CLI.hpp>

#include "cli/flags.h"

namespace attncheck::cli {

void add_ranks(CLI::App* app, RankArguments& ranks) {
  app->add_option("--rank-timeout", ranks.timeout,
                  "Seconds that rank processes have for one request; a collective has half of it")
      ->check(CLI::Range(0.1, 86400.0))
      ->check(finite_number)
      ->capture_default_str();
  app->add_option("--rank-memory", ranks.memory,
                  "GiB that the rank processes of a mesh may hold together; by default half of the "
                  "machine's")
      ->check(CLI::Range(0.01, 1048576.0))
      ->check(finite_number);
  app->add_flag_function(
      "--isolate,!--no-isolate", [&ranks](int64_t given) { ranks.isolate = given > 0; },
      "sim's ranks in a process of their own, which may crash, hang or exit; the default with "
      "--plugin");
  app->add_option("--send-buffer", ranks.send_buffer,
                  "Bytes of a send that sim takes before its receive is posted; 0: a rendezvous")
      ->check(CLI::Range(int64_t{0}, int64_t{1} << 40))
      ->capture_default_str();
  add_path(app, "--log-dir", ranks.log_dir, "Folder for what each rank process prints");
}

void add_device(CLI::App* app, RankArguments& ranks) {
  app->add_option("--device", ranks.device,
                  "Where the ranks' tensors are, cpu or cuda; by default cuda for nccl, else cpu")
      ->check(CLI::IsMember({"cpu", "cuda"}));
}

}  // namespace attncheck::cli
