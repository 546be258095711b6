#pragma once

#include <string>

#include "gloo_cpu/launched_world.h"

namespace attncheck::gloo_cpu {

// What the coordinator of a launched world tells the others.
struct Instruction {
  enum class Kind { run, drop, end } kind = Kind::end;
  Order order;   // run; of drop: its set
  int code = 0;  // end: the exit code
};

std::string run_text(const Order& order);
std::string drop_text(int set);
std::string end_text(int code);
// Throws for a text that is none of these.
Instruction instruction_in(const std::string& text);

// A set of ranks that are spread over the processes of a launched world, as its coordinator sees
// it. The world outlives it.
class LaunchedSet : public Ranks {
 public:
  // `order` says which set it is, and its limits.
  LaunchedSet(LaunchedWorld& world, Order order);
  ~LaunchedSet() override;

  // As RankSet's, with StartError where the ranks did not start. A launched process that says
  // nothing within the timeout and some seconds is lost, and its ranks are silent. After a loss
  // every run throws std::runtime_error with who it is.
  std::vector<RankReply> run(const std::string& request) override;
  bool usable() const override { return usable_; }
  std::chrono::milliseconds timeout() const override { return order_.timeout; }

 private:
  LaunchedWorld& world_;
  Order order_;
  bool fresh_ = true, usable_ = true;
};

}  // namespace attncheck::gloo_cpu
