#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/manifest.h"
#include "cli/names.h"
#include "cli/report_file.h"
#include "cli/scale_question.h"
#include "cli/show.h"
#include "cli/status_line.h"
#include "cli/usage.h"
#include "cli/version.h"
#include "harness/html/report_html.h"
#include "harness/scale/prediction_table.h"
#include "problem/case_text.h"
#include "problem/model_shapes.h"

namespace attncheck::cli {
namespace {

constexpr int kLargestPredictedWorld = 4096;

std::vector<scale::Link> links_of(const std::vector<std::string>& given) {
  if (given.size() != 2) {
    throw UsageError(
        fmt::format("--links: {} given, expected two: within a node and across nodes, "
                    "e.g. nvlink,ib",
                    given.size()));
  }
  try {
    return {scale::parse_link(given[0]), scale::parse_link(given[1])};
  } catch (const std::invalid_argument& error) {
    throw UsageError(std::string("--links: ") + error.what());
  }
}

std::vector<int> worlds_of(const std::vector<int>& given) {
  if (given.empty()) return {8, 64};
  for (int world : given) {
    if (world < 1 || world > kLargestPredictedWorld) {
      throw UsageError(
          fmt::format("--world: {} is not from 1 to {}", world, kLargestPredictedWorld));
    }
  }
  return given;
}

scale::Question question_of(const ScaleArguments& arguments) {
  scale::Question question;
  question.shapes =
      chosen("shape", arguments.shapes, model_shape_names(), {"flux", "wan_720p", "llama3_8b"});
  question.worlds = worlds_of(arguments.worlds);
  question.machine = machine_of(arguments);
  return question;
}

void tell_prediction(const Case& c, StatusLine& status) {
  const bool first = c.mesh.ulysses == 1 && c.rotate == Rotate::allgather;  // of its ranks
  const std::string ranks =
      fmt::format("predicting for {} ranks, {} tokens", c.mesh.world(), c.problem.q_len);
  status.show(fmt::format("{}: {} {} {}", ranks, c.impl, to_text(c.mesh), to_text(c.rotate)),
              first ? ranks : "");
}

}  // namespace

scale::Machine machine_of(const ScaleArguments& arguments) {
  const std::vector<scale::Link> links = links_of(arguments.links);
  return {links[0], links[1], arguments.node, arguments.tflops * 1e12};
}

int scale_command(const ScaleArguments& arguments, bool quiet, const std::string& json) {
  const scale::Question question = question_of(arguments);
  ReportFile file("--json", json), page("--html", arguments.html);
  StatusLine status(quiet);
  scale::PredictionTable table = scale::predict_all(
      program_registry(), question, [&status](const Case& c) { tell_prediction(c, status); });
  table.version = attncheck_version();
  table.libtorch = libtorch_version();
  show(scale::table_text(table));
  const std::string report = scale::table_json(table);
  file.write(report);
  page.write(bench_html(report));
  return kHeld;
}

}  // namespace attncheck::cli
