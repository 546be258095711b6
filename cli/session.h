#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "cli/commands.h"
#include "harness/drive/lanes.h"
#include "harness/process_transport.h"
#include "harness/run_lab.h"

namespace attncheck::cli {

// How the rank processes of a transport are run: they are this program again, as `attncheck rank`.
ProcessOptions process_options(const std::string& transport, const RankArguments& ranks,
                               const std::string& log_prefix);

// A lab on every transport that is built in. Ranks are started when a case first needs them, at the
// launched world's processes where there is one. One that is lost is told of on stderr at once. The
// prefix is that of the ranks' log files. Throws UsageError for a log folder that cannot be
// written.
std::shared_ptr<RunLab> make_lab(const Registry& registry, const RankArguments& ranks,
                                 const std::string& log_prefix = "");

// What a replay must be told to run as these ranks do, " --send-buffer 64 --plugin '/a/b.so'";
// empty by default.
std::string replay_flags(const RankArguments& ranks);

// A lane with such a lab of its own.
LaneLab make_lane(const Registry& registry, const RankArguments& ranks,
                  const std::string& log_prefix = "");

// That many lanes; without a number, one for each core that this process may use. With several, the
// log files of each have a prefix.
std::unique_ptr<Lanes> make_lanes(const Registry& registry, const RankArguments& ranks,
                                  std::optional<int64_t> count);

// Throws UsageError when the case names a subject, backend or transport that is not there, or a
// mesh that the transport cannot carry.
void require_runnable(const Registry& registry, const RunLab& lab, const Case& c);

}  // namespace attncheck::cli
