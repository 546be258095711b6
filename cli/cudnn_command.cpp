#include "cli/cudnn_command.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cli/cudnn_surface.h"
#include "cli/report_file.h"
#include "cli/usage.h"
#include "cli/version.h"

namespace attncheck::cli {
namespace {

std::vector<int> chosen_devices(const std::vector<int>& given) {
  if (given.empty()) return {80, 90, 100};
  const std::vector<int> known = cudnn_devices();
  for (const int sm : given) {
    if (std::find(known.begin(), known.end(), sm) != known.end()) continue;
    throw UsageError(fmt::format("--sm: no device of SM version {} is known here: give some of {}",
                                 sm, fmt::join(known, ", ")));
  }
  return given;
}

int say_not_run(const Support& here, ReportFile& file) {
  fmt::print("not_run  {}\n", here.reason);
  nlohmann::ordered_json json{{"attncheck", attncheck_version()},
                              {"libtorch", libtorch_version()},
                              {"not_run", here.reason}};
  file.write(json.dump(2) + "\n");
  return kNotChecked;
}

}  // namespace

int cudnn_surface_command(const CudnnArguments& arguments) {
  const std::vector<int> devices = chosen_devices(arguments.devices);
  ReportFile file("--json", arguments.json);
  if (const Support here = cudnn_here(); !here) return say_not_run(here, file);
  const CudnnSurface surface{attncheck_version(), libtorch_version(), cudnn_version(), devices,
                             ask_surface(devices)};
  fmt::print("{}", surface_text(surface));
  file.write(surface_json(surface));
  return surface.exit_code();
}

}  // namespace attncheck::cli
