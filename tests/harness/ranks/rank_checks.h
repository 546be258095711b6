#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "harness/drive/check_report.h"
#include "harness/process_transport.h"
#include "harness/registry.h"
#include "harness/transport.h"

namespace attncheck {

// Ranks that are this program again.
ProcessOptions processes_of_this_program();

using Transports = std::map<std::string, std::shared_ptr<Transport>>;

// sim in this process; and sim in a process of its own together with gloo.
Transports in_process(const Registry& registry, int64_t send_buffer = 0);
Transports in_processes(const ProcessOptions& options, int64_t send_buffer = 0);

// What `attncheck check` would report of that stream, on one lane; of all properties unless some
// are named.
CheckReport check(const Registry& registry, const Transports& transports, const StreamSpec& spec,
                  int64_t cases, const std::vector<std::string>& properties = {});

// Whether this process has a child that lives on. Those that are being killed are waited for.
bool has_children();
// Whether all that ranks left behind (left_behind.h) is gone, now or soon.
bool nothing_is_left();

}  // namespace attncheck
