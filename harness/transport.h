#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "impl/contract/mesh_groups.h"
#include "impl/contract/support.h"
#include "problem/mesh.h"

namespace attncheck {

// What one rank made of a request: bytes, or how it ended instead.
struct RankReply {
  // bystander: taken down, or not waited for any longer, because another rank had ended.
  enum class Outcome { answered, exited, signalled, silent, bystander };
  Outcome outcome = Outcome::answered;
  int code = 0;          // exit status, or number of the signal
  std::string bytes;     // the answer
  std::string note;      // of a rank that did not answer: what happened, for a reader
  bool stopped = false;  // of a silent one: somebody stopped its process
  bool started = true;   // false: it never got the request, since the ranks did not start
  std::chrono::microseconds after{0};  // from the request to this outcome: who was first?
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
  // The same request on every rank of the mesh; replies by mesh rank. A rank that does not answer
  // is a reply, never an exception; the next run has fresh ranks.
  virtual std::vector<RankReply> run(const Mesh& mesh, const std::string& request) = 0;
  // The next run of the mesh finds ranks that ran nothing before, in groups that nobody used.
  // False, and nothing happens, where such ranks cost too much.
  virtual bool renew(const Mesh&) { return false; }
  // Whether an answer would be the same on fresh ranks, so that there is no use in asking again.
  virtual bool repeats_itself() const { return true; }
  // While a failure is shrunk: ranks that are known to hang get a short time.
  virtual void hurry(bool) {}
};

}  // namespace attncheck
