#pragma once

#include <cstdint>
#include <string>

namespace attncheck::cli {

// From here on SIGINT, SIGTERM and SIGHUP (those that are not ignored already) end this process in
// order: its ranks are killed and waited for, unfinished reports are removed, one line on stderr
// says how far it had come, and the signal then ends the process, so that a shell sees 128 + its
// number. Call it before anything starts a thread. A second signal ends the process at once.
void end_in_order_when_interrupted();

// How many cases were judged, for that line. Any thread may call it.
void count_case();

// A file that is not worth keeping when the run is interrupted.
void remove_when_interrupted(const std::string& path);

}  // namespace attncheck::cli
