#pragma once

#include <memory>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "sim/journal.h"
#include "sim/memory.h"
#include "sim/transfer.h"

namespace attncheck::sim {

// One rank's exchange, from its post until its wait() has returned or thrown. Until then nobody may
// touch its outputs, nor write its inputs.
struct Flight {
  std::shared_ptr<Transfer> transfer;
  std::vector<at::Tensor> outputs;
  std::vector<at::Tensor> inputs;  // kept in watched runs alone
  std::vector<Bytes> input_bytes;  // where they were when they were posted
  bool flying = false;
  bool shared = false;                             // posted with what another one had in flight
  bool read_early = false, written_early = false;  // reported already: once each is enough
};

// The exchanges of one rank that it has not waited for, oldest first. Belongs to the holder of the
// baton. A flight stays where it is while it is in here.
class Flights {
 public:
  Flights(int rank, Journal& journal) : rank_(rank), journal_(&journal) {}

  bool empty() const { return flights_.empty(); }
  void add(Flight& flight);
  // Its wait has returned or thrown.
  void land(Flight& flight);
  // It died before: FindingKind::unwaited, unless an exception is on its way through the rank.
  void drop(Flight& flight);
  // FindingKind::aliased: an output of the exchange overlaps its input.
  void report_aliased(const Transfer& transfer);
  // The rank has ended. What is still in the air was never waited for, which says nothing about a
  // rank that threw: then what it dropped on its way is forgotten as well.
  void end(bool threw);

  // Of watched runs: findings of the kinds read_early and written_early.
  bool touched_by(const at::Tensor& tensor) const;
  // An operator reads or writes the tensor. Whether that is an error.
  bool use(const at::Tensor& tensor, bool writes, const char* by);
  // An exchange that is not in here yet reads its inputs, and will write its outputs.
  void use_by(Flight& next);
  // Just before the outputs are written: what has changed since the post without an operator.
  void compare_bytes(Flight& flight);

 private:
  void report_use(Flight& flight, bool writes, const char* what, const std::string& by);
  void report_unwaited(const Flight& flight, const char* what);

  int rank_;
  Journal* journal_;
  std::vector<Flight*> flights_;
};

}  // namespace attncheck::sim
