#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace attncheck::cli {

// From here on SIGINT, SIGTERM and SIGHUP (those that are not ignored already) end this process in
// order: what it found is said, its ranks are killed and waited for, unfinished reports are
// removed, one line on stderr says how far it had come, and the signal then ends the process, so
// that a shell sees 128 + its number. Call it before anything starts a thread. A second signal ends
// the process at once.
void end_in_order_when_interrupted();

// How many cases were judged, for that line. Any thread may call it.
void count_case();
// That the failure of a case is shrunk, which is counted only behind that.
void note_shrinking();

// What a run has to say for itself when it is interrupted goes to stdout, while its ranks are still
// there; nullptr: nothing. The call returns once a former one is not at work.
void say_when_interrupted(std::function<std::string()> last_words);

// A file that is not worth keeping when the run is interrupted.
void remove_when_interrupted(const std::string& path);

}  // namespace attncheck::cli
