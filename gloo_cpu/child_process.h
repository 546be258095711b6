#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace attncheck::gloo_cpu {

struct ChildCommand {
  std::vector<std::string> argv;         // argv[0] is looked up in PATH
  std::vector<std::string> environment;  // "NAME=value", all of it
  int output = -1;                       // becomes stdout and stderr; stdin is /dev/null
  std::vector<int> kept;                 // descriptors that stay open under their numbers
};

// How a process ended: an exit status, or the number of a signal. -1 when the system no longer
// knows, because somebody else waited for all children.
struct Ending {
  bool by_signal = false;
  int code = 0;
};

// A child process. The system kills it when the thread that started it ends, not only when this
// process does: start it from a thread that lasts as long as the child shall (RankSet's keeper).
// It leads a process group: what it starts and leaves behind there is killed when it ends.
// It ignores SIGINT and SIGHUP, which a terminal sends to parent and children alike: the parent
// decides what they mean.
class ChildProcess {
 public:
  // fork + exec. Throws if there can be no new process; a command that cannot be exec'ed ends with
  // status 127 and says why on its output.
  explicit ChildProcess(const ChildCommand& command);
  // Kills the process if it still runs, and waits for its end.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  pid_t pid() const { return pid_; }
  // How the process ended, or nothing while it runs. Does not block.
  const std::optional<Ending>& ending();
  // SIGKILL; nothing if it has ended.
  void kill();
  // What it is doing, for a reader: "stopped by a signal", "running" or "waiting"; "gone".
  std::string activity() const;
  bool stopped() const;

 private:
  pid_t pid_ = -1;
  std::optional<Ending> ending_;
};

// From here on the system gives this process what its children started and left behind, whatever
// group or session that is in. Does nothing in a process that has children already: theirs would
// come along.
void adopt_orphans();
// Kills what was adopted: every child of this process that is no ChildProcess. Nothing unless this
// process adopts.
void end_orphans();

// Kills every child of this process and what it adopted, waits for their ends, and lets no thread
// start another one: for a process that is about to end. Returns within seconds.
void end_all_children();

}  // namespace attncheck::gloo_cpu
