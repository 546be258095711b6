#include "cli/methods_flags.h"

#include <CLI/CLI.hpp>

namespace attncheck::cli {

// Ranges that say !(x < low) let "nan" through, which compares false.
void add_methods(CLI::App& bench, MethodsArguments& a) {
  const auto finite = [](const std::string& text) {
    return text.find("nan") == std::string::npos ? "" : "'" + text + "' is not a finite number";
  };
  bench.add_option("--transport", a.transport,
                   "methods: nccl, or gloo for CPUs; by default nccl, and gloo for peers");
  bench
      .add_option("--impl", a.impls,
                  "methods, peers: implementations that are timed beside the built-in ones")
      ->delimiter(',');
  bench.add_option("--backend", a.backend,
                   "methods: the kernel; by default cudnn on GPUs, flash_cpu on CPUs");
  bench.add_option("--dtype", a.dtype, "methods: f64, f32, bf16 or f16")->capture_default_str();
  bench.add_option("--scale", a.scale, "methods: factor on the lengths of --shapes, above 0 to 1")
      ->check(CLI::Range(0.0, 1.0))
      ->check(finite)
      ->capture_default_str();
  bench
      .add_option("--lengths", a.lengths,
                  "methods: tokens instead of the shapes' own, e.g. 1024,4096,32768")
      ->delimiter(',')
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 24))
      ->excludes("--scale");
  bench.add_flag("--causal", a.causal, "methods: every shape causal");
  bench
      .add_option("--rank-timeout", a.ranks.timeout,
                  "methods: seconds that ranks have for one shape; a collective has half of it")
      ->check(CLI::Range(0.1, 86400.0))
      ->check(finite)
      ->capture_default_str();
  bench
      .add_option("--device", a.ranks.device,
                  "methods: cpu or cuda; by default cuda for nccl, else cpu")
      ->check(CLI::IsMember({"cpu", "cuda"}));
}

}  // namespace attncheck::cli
