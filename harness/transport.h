#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/placement.h"
#include "impl/contract/mesh_groups.h"
#include "impl/contract/support.h"
#include "problem/mesh.h"
#include "properties/trace.h"

namespace attncheck {

// What one rank made of a request: bytes, or how it ended instead.
struct RankReply {
  // bystander: taken down, or not waited for any longer, because another rank had ended.
  // outgrown: ended by the transport, since it held more memory than it may.
  enum class Outcome { answered, exited, signalled, silent, outgrown, bystander };
  Outcome outcome = Outcome::answered;
  int code = 0;          // exit status, or number of the signal
  std::string bytes;     // the answer
  std::string note;      // of a rank that did not answer: what happened, for a reader
  bool stopped = false;  // of a silent one: somebody stopped its process
  bool waited = false;   // for what no rank would give it, where the transport knows
  bool started = true;   // false: it never got the request, since the ranks did not start
  std::chrono::microseconds after{0};  // from the request to this outcome: who was first?
  std::optional<RankTrace> trace;      // where the transport sees every exchange
};

// One run of a mesh.
struct Launch {
  Mesh mesh;
  Placement placement;
  std::string request;   // the same for every rank
  std::string schedule;  // who runs next, for a transport that decides it; empty: its own way
  bool watch = false;    // look for reads and writes of tensors in flight, where that can be seen
};

// A rank's part: request bytes in, result bytes out, with the groups of its mesh. Does not throw.
using RankAnswer = std::function<std::string(const std::string& request, const MeshGroups& groups)>;

// How ranks run and talk. Gives each rank its groups, moves request and result bytes, bounds every
// wait; knows no property.
class Transport {
 public:
  virtual ~Transport() = default;
  virtual std::string name() const = 0;
  virtual Support supports(const Mesh& mesh) const = 0;
  // Where the ranks' tensors are: "cpu" or "cuda".
  virtual std::string device() const { return "cpu"; }
  // Whether it can order a run by that `schedule=`, which is not empty.
  virtual Support follows(const std::string& schedule) const {
    return Support::no("schedule=" + schedule + " cannot be followed by " + name() +
                       ", whose ranks run in time of their own: leave schedule= out");
  }
  // The same request on every rank of the mesh; replies by mesh rank. A rank that does not answer
  // is a reply, never an exception; the next run has fresh ranks.
  virtual std::vector<RankReply> run(const Launch& launch) = 0;
  // The next run of the mesh, in a world of its own, finds ranks that ran nothing before, in groups
  // that nobody used. False, and nothing happens, where such ranks cost too much.
  virtual bool renew(const Mesh&) { return false; }
  // Whether an answer would be the same on fresh ranks, so that there is no use in asking again.
  virtual bool repeats_itself() const { return true; }
  // Whether ranks outlive an error in new groups; then what they hold of the former ones may be the
  // reason for a later error.
  virtual bool outlives_errors() const { return false; }
  // Such ranks are ended, and the next run has new ones. Whether the last run was on such ranks.
  virtual bool restart() { return false; }
  // Ranks have so long for a request from now on, where they had less; for long work, whose ranks
  // would else count as silent. Nothing happens where requests have no limit.
  virtual void allow(std::chrono::milliseconds) {}
  // While a failure is shrunk: ranks that are known to hang get a short time.
  virtual void hurry(bool) {}
};

}  // namespace attncheck
