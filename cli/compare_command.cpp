#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/report_file.h"
#include "cli/show.h"
#include "cli/usage.h"
#include "harness/drive/compare_reports.h"

namespace attncheck::cli {
namespace {

std::string contents(const std::string& path) {
  const std::ifstream file(path);
  std::ostringstream text;
  if (file) text << file.rdbuf();
  if (!file || !text) throw UsageError("compare: cannot read '" + path + "'");
  return text.str();
}

Comparison compared(const std::string& before, const std::string& after) {
  try {
    return compare_reports(contents(before), contents(after));
  } catch (const std::invalid_argument& error) {
    throw UsageError(fmt::format("compare {} {}: {}", before, after, error.what()));
  }
}

}  // namespace

int compare_command(const std::string& before, const std::string& after, const std::string& json) {
  const Comparison comparison = compared(before, after);
  ReportFile file("--json", json);
  show(comparison_text(comparison));
  file.write(comparison_json(comparison));
  return comparison.exit_code();
}

}  // namespace attncheck::cli
