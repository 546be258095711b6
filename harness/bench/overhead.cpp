#include <fmt/format.h>

#include "harness/bench/bare_work.h"
#include "harness/bench/interleaved.h"
#include "harness/bench/measurements.h"
#include "harness/drive/check_stream.h"
#include "sim/affinity.h"

namespace attncheck::bench {
namespace {

constexpr int kRuns = 200, kChecks = 5;
constexpr int64_t kCasesOfACheck = 12;

Measured observed_run(const BenchSetup& setup, const Budget& budget) {
  const sim::CorePin pin(sim::current_core());
  const std::shared_ptr<RunLab> lab = sim_lab(setup.registry);
  BareWork bare(setup.registry);
  const Request request = usual_request(setup);
  const Interleaved times = interleaved(
      setup.repetitions.value_or(kRuns), [&] { observe_once(*lab, request); },
      [&] { bare(request); });
  return measured(budget, times.ratios,
                  fmt::format("observed {}, bare {}; {}", milliseconds(times.over),
                              milliseconds(times.under), setup.usual_case));
}

// Remembers what a check runs, so that the same can be run bare.
class RecordingLab : public RunLab {
 public:
  using RunLab::RunLab;

  const Observation& observe(const Request& request) override {
    const int64_t before = counts().runs;
    const Observation& observation = RunLab::observe(request);
    if (counts().runs > before && !request.forced) made_.push_back(request);
    return observation;
  }

  std::vector<Request> take() { return std::exchange(made_, {}); }

 private:
  std::vector<Request> made_;
};

StreamSpec usual_stream() {
  StreamSpec spec;
  spec.impl = "unified";
  spec.meshes = {{2, 2}, {3, 1}, {1, 3}};
  return spec;
}

PropertyList every_property(const Registry& registry) {
  PropertyList properties;
  for (const Property& property : registry.properties) properties.push_back(&property);
  return speaking_of(SubjectKind::implementation, properties);
}

// A check of its own seed each time; then what it ran, bare. A run that is refused on purpose has
// no bare work.
Measured whole_check(const BenchSetup& setup, const Budget& budget) {
  const sim::CorePin pin(sim::current_core());
  const auto lab = std::make_shared<RecordingLab>(setup.registry, sim_transports(setup.registry));
  Lanes lanes({{lab, [lab] { lab->forget(); }, [lab] { return lab->counts().runs; }}});
  BareWork bare(setup.registry);
  const PropertyList properties = every_property(setup.registry);
  std::vector<double> ratios, checks;
  size_t runs = 0;
  const int repetitions = setup.repetitions.value_or(kChecks);
  for (int i = 0; i <= repetitions; ++i) {
    CheckOptions options;
    options.cases = kCasesOfACheck;
    options.seed = static_cast<uint64_t>(i);
    const double check =
        seconds_of([&] { check_stream(usual_stream(), properties, lanes, options); });
    const std::vector<Request> made = lab->take();
    const double work = seconds_of([&] {
      for (const Request& request : made) bare(request);
    });
    if (i == 0) continue;  // warms up
    runs += made.size();
    checks.push_back(check);
    ratios.push_back(check / work);
  }
  return measured(budget, ratios,
                  fmt::format("{} cases and {} runs in {} a check, all properties", kCasesOfACheck,
                              runs / ratios.size(), milliseconds(median_of(checks))));
}

}  // namespace

std::vector<Measurement> overhead_measurements() {
  return {
      {{"observed_run", "one observed run on sim, 2x2, against the bare work", 1.25, true},
       observed_run},
      {{"whole_check", "a whole check, against its runs' bare work and reference", 2.0, true},
       whole_check},
  };
}

}  // namespace attncheck::bench
