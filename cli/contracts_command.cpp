#include "cli/contracts_command.h"

#include <algorithm>
#include <fstream>
#include <sstream>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cli/flags.h"
#include "cli/manifest.h"
#include "cli/names.h"
#include "cli/report_file.h"
#include "cli/usage.h"
#include "cli/version.h"
#include "harness/contracts/compare.h"
#include "harness/contracts/table_file.h"

namespace attncheck::cli {
namespace {

std::string path_given(const std::string& given) {
  return given.empty() ? "an empty path is no file" : "";
}

std::string text_of_file(const std::string& flag, const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf()))
    throw UsageError(flag + ": cannot read '" + path + "': it must be a file that is not empty");
  return text.str();
}

// What `parse` makes of the file; what it complains of is a wrong request.
template <typename Parse>
auto parsed_file(const std::string& flag, const std::string& path, const Parse& parse) {
  const std::string text = text_of_file(flag, path);
  try {
    return parse(text);
  } catch (const std::invalid_argument& error) {
    throw UsageError(
        fmt::format("{}: '{}' is not what it should be: {}", flag, path, error.what()));
  }
}

reference::ContractTable chosen_table(const ContractsArguments& arguments) {
  if (arguments.table.empty()) return reference::pinned_contracts();
  return parsed_file("--table", arguments.table, parse_table);
}

reference::Release linked_release() {
  const std::optional<reference::Release> release = reference::parse_release(libtorch_version());
  if (!release)
    throw std::runtime_error(fmt::format("LibTorch {} is no release", libtorch_version()));
  return *release;
}

// The meta kernels of another release say nothing of this one.
std::optional<MetaKernels> chosen_meta(const ContractsArguments& arguments,
                                       reference::Release release) {
  if (arguments.meta.empty()) return std::nullopt;
  MetaKernels meta = parsed_file("--meta", arguments.meta, parse_meta_kernels);
  if (reference::parse_release(meta.libtorch) != release) {
    throw UsageError(fmt::format("--meta: '{}' is of LibTorch {}, and this is {}", arguments.meta,
                                 meta.libtorch, libtorch_version()));
  }
  return meta;
}

std::vector<Declaration> chosen_declarations(const ContractsArguments& arguments) {
  Registry registry = program_registry();
  for (const Backend& backend : absent_backends()) registry.backends.push_back(backend);
  std::vector<std::string> every;
  for (const Backend& backend : registry.backends) every.push_back(backend.name);
  std::vector<Declaration> declarations;
  for (const std::string& name : chosen_backends(registry, arguments.backends, every))
    declarations.push_back({name, registry.backend(name)->contract});
  return declarations;
}

// `all`, like none, is every operator, whether a backend here has it or not.
bool names_some(const std::vector<std::string>& backends) {
  return !backends.empty() && std::find(backends.begin(), backends.end(), "all") == backends.end();
}

// Operators of this release that a table of one's own leaves out.
void add_left_out(const ContractRequest& request, ContractReport& report) {
  const reference::ContractTable& pinned = reference::pinned_contracts();
  for (const std::string& op : reference::operators_of(pinned)) {
    const bool known = reference::find_contract(pinned, op, request.release) != nullptr;
    const bool there = reference::find_contract(request.table, op, request.release) != nullptr;
    if (known && !there && is_asked_for(request, op)) {
      report.unchecked.push_back("aten::" + op + ": the table has no row for LibTorch " +
                                 report.release);
    }
  }
}

// Operators of which the file of meta kernels, which was to be heard, says nothing.
void add_unheard(ContractReport& report) {
  for (const OperatorFindings& op : report.operators) {
    for (const ContractFinding& finding : op.findings) {
      if (finding.witness != "meta kernel" || finding.state != ContractFinding::State::not_run)
        continue;
      report.unchecked.push_back("aten::" + op.row.op + ": meta kernel: " + finding.reason);
    }
  }
}

// What was asked for by name and has no operator in the table.
void add_unchecked(const ContractRequest& request, ContractReport& report) {
  for (const Declaration& declaration : request.declarations) {
    const std::string& op = declaration.contract.op;
    const bool in_table =
        op.starts_with("aten::") &&
        reference::find_contract(request.table, op.substr(6), request.release) != nullptr;
    if (in_table) continue;
    report.unchecked.push_back(
        declaration.backend + ": " +
        (op.empty() ? "its kernel is no operator of LibTorch" : op + " is not in the table"));
  }
}

}  // namespace

int contracts_command(const ContractsArguments& arguments) {
  if (arguments.cudnn.asked) {
    CudnnArguments cudnn = arguments.cudnn;
    cudnn.json = arguments.json;
    return cudnn_surface_command(cudnn);
  }
  const reference::ContractTable table = chosen_table(arguments);
  if (arguments.print_table) {
    fmt::print("{}", table_json(table));
    return kHeld;
  }
  const reference::Release release = linked_release();
  const std::optional<MetaKernels> meta = chosen_meta(arguments, release);
  const ContractRequest request{.table = table,
                                .release = release,
                                .declarations = chosen_declarations(arguments),
                                .only_declared = names_some(arguments.backends),
                                .meta = meta ? &*meta : nullptr};
  ReportFile file("--json", arguments.json);
  ContractReport report{attncheck_version(), libtorch_version(), to_text(release), {}, {}};
  report.operators = compare_all(request);
  if (request.only_declared) add_unchecked(request, report);
  add_left_out(request, report);
  add_unheard(report);
  if (!request.only_declared && report.operators.empty())
    report.unchecked.push_back("the table has no row for LibTorch " + report.release);
  fmt::print("{}", report_text(report));
  file.write(report_json(report));
  return report.exit_code();
}

void add_contracts(CLI::App& app, ContractsArguments& a, std::function<int()>& command) {
  CLI::App* contracts = app.add_subcommand(
      "contracts",
      "What LibTorch's operators declare and return, held against a table of releases");
  contracts->add_option("--backend", a.backends, "Operators of these backends alone, or all")
      ->delimiter(',')
      ->allow_extra_args(false);
  contracts->add_option("--table", a.table, "A table of your own, as --print-table prints it")
      ->check(path_given);
  contracts->add_option("--meta", a.meta, "What this release's meta kernels say: see ci/versions")
      ->check(path_given);
  contracts->add_flag("--print-table", a.print_table,
                      "Print the table as JSON, and do nothing else");
  CLI::Option* cudnn =
      contracts->add_flag("--cudnn", a.cudnn.asked,
                          "What cuDNN itself supports, asked without a GPU, and nothing else");
  cudnn->excludes("--backend", "--table", "--meta", "--print-table");
  contracts->add_option("--sm", a.cudnn.devices, "--cudnn: SM versions, 90 for SM 9.0")
      ->check(whole_number)
      ->delimiter(',')
      ->allow_extra_args(false)
      ->needs(cudnn);
  contracts->add_option("--json", a.json, "Write the report to this file as well")
      ->check(path_given);
  contracts->add_flag("--quiet", a.quiet, "No progress on stderr");
  contracts->callback([&a, &command] { command = [&a] { return contracts_command(a); }; });
}

}  // namespace attncheck::cli
