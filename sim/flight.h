#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "sim/journal.h"
#include "sim/transfer.h"

namespace attncheck::sim {

// One rank's exchange, from its post until its wait() has returned or thrown.
struct Flight {
  std::shared_ptr<Transfer> transfer;
  std::vector<at::Tensor> outputs;
  bool flying = false;
};

// The exchanges of one rank that it has not waited for, oldest first. Belongs to the holder of the
// baton. A flight stays where it is while it is in here.
class Flights {
 public:
  Flights(int rank, Journal& journal) : rank_(rank), journal_(&journal) {}

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

 private:
  void report_unwaited(const Flight& flight, const char* what);

  int rank_;
  Journal* journal_;
  std::vector<Flight*> flights_;
};

}  // namespace attncheck::sim
