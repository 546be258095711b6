#include "harness/bench/measurements.h"

#include <iterator>
#include <stdexcept>

#include <fmt/format.h>

namespace attncheck::bench {

std::vector<Measurement> all_measurements() {
  std::vector<Measurement> all;
  for (const auto part :
       {overhead_measurements, transport_measurements, scaling_measurements, method_measurements}) {
    std::ranges::move(part(), std::back_inserter(all));
  }
  return all;
}

std::vector<Measured> measure_all(const std::vector<Measurement>& measurements,
                                  const BenchSetup& setup,
                                  const std::function<void(const std::string& name)>& progress) {
  std::vector<Measured> all;
  for (const Measurement& measurement : measurements) {
    progress(measurement.budget.name);
    try {
      all.push_back(measurement.measure(setup, measurement.budget));
    } catch (const NotMeasurable& reason) {
      all.push_back({measurement.budget, std::nullopt, reason.why, ""});
    } catch (const std::runtime_error& error) {  // such as ranks that do not start
      all.push_back({measurement.budget, std::nullopt, error.what(), ""});
    }
  }
  return all;
}

Measured measured(const Budget& budget, const std::vector<double>& ratios,
                  const std::string& details) {
  return {budget, spread_of(ratios), "", details};
}

std::string milliseconds(double seconds) {
  return fmt::format("{:.3g} ms", 1e3 * seconds);
}

}  // namespace attncheck::bench
