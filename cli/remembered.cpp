#include "cli/remembered.h"

#include <algorithm>
#include <filesystem>

#include "cli/launch.h"
#include "cli/names.h"
#include "cli/session.h"
#include "cli/usage.h"
#include "harness/drive/judge.h"
#include "harness/drive/report_text.h"

namespace attncheck::cli {
namespace {

namespace fs = std::filesystem;

bool is_new(const std::vector<RememberedCase>& all, const RememberedCase& remembered) {
  return std::none_of(all.begin(), all.end(), [&](const RememberedCase& other) {
    return other.property == remembered.property && other.case_ == remembered.case_;
  });
}

void require_folder(const std::string& folder) {
  std::error_code none;
  if (fs::is_directory(folder, none)) return;
  throw UsageError("--corpus: there is no folder '" + folder +
                   "': only the last one, in which new failures are kept, is made");
}

std::vector<RememberedCase> load(const std::string& flag, const std::string& folder) {
  try {
    return Corpus(folder).load();
  } catch (const std::invalid_argument& error) {
    throw UsageError(flag + error.what());
  }
}

StreamSpec spec_of(const Registry& registry, const Case& c) {
  return {c.impl, c.backend, c.transport, c.problem.dtype, {c.mesh}, registry.kind(c.impl),
          true,   {}};
}

}  // namespace

std::vector<RememberedCase> remembered_in(const std::vector<std::string>& folders) {
  std::vector<RememberedCase> all;
  for (const std::string& folder : folders) {
    if (&folder != &folders.back()) require_folder(folder);
    for (RememberedCase& remembered : load("--corpus: ", folder)) {
      if (is_new(all, remembered)) all.push_back(std::move(remembered));
    }
  }
  return all;
}

std::vector<RememberedCase> remembered_at(const std::string& path) {
  std::error_code none;
  if (fs::is_directory(path, none)) {
    std::vector<RememberedCase> all = load("", path);
    if (all.empty()) throw UsageError("there is no file *.case in '" + path + "'");
    return all;
  }
  if (!fs::exists(path, none)) return {};
  try {
    return {read_remembered(path)};
  } catch (const std::invalid_argument& error) {
    throw UsageError(error.what());
  }
}

void require_known(const Registry& registry, const RememberedCase& remembered) {
  require_name("property", remembered.property, registry.property_names());
  require_known(registry, remembered.case_);
}

Verdict judge_again(const Registry& registry, const RememberedCase& remembered,
                    const RankArguments& ranks, RunLab& lab) {
  try {
    require_known(registry, remembered);
  } catch (const UnknownName& error) {
    throw UsageError(error.what());
  }
  require_device(remembered.case_.transport, ranks);
  require_runnable(registry, lab, remembered.case_);
  const PropertyList properties = speaking_of(registry.kind(remembered.case_.impl),
                                              chosen_properties(registry, {remembered.property}));
  if (properties.empty()) {
    return Verdict::unsupported(remembered.property + " does not speak of " +
                                remembered.case_.impl);
  }
  lab.forget();
  WatchedLab watched(lab, remembered.case_);
  return judge_watched(*properties.front(), remembered.case_, watched).verdict;
}

std::string failure_text(const Registry& registry, const RememberedCase& remembered,
                         const Verdict& verdict, const RankArguments& ranks) {
  PropertyResult result;
  result.property = remembered.property;
  result.explains = chosen_properties(registry, {remembered.property}).front()->explains;
  result.verdict = verdict.kind;
  result.evidence = verdict.evidence;
  result.case_ = remembered.case_;
  result.replay_program = program_registry().callables.program;
  result.replay_flags = replay_flags(ranks);
  return attncheck::failure_text(stream_name(spec_of(registry, remembered.case_)), result);
}

}  // namespace attncheck::cli
