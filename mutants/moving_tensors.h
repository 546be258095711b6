#pragma once

#include <optional>
#include <vector>

#include <ATen/core/Tensor.h>

#include "impl/ring/key_stream.h"
#include "mutants/ring_moves.h"

namespace attncheck {

// The keys of every rank of a ring, one rank's a step, in the order of step_owner, by its moves.
class MovingKeys {
 public:
  // The moves outlive it. They go around `rounds` times.
  MovingKeys(const RingMoves& moves, const at::Tensor& k, const at::Tensor& v, int rounds);
  OwnedKeys next();
  // What still comes after the last step that anybody attends to.
  void let_the_rest_pass();

 private:
  OwnedKeys gathered_of(int owner);
  void receive();

  const RingMoves& moves_;
  std::vector<at::Tensor> kv_, all_;  // rotate=allgather: all_, (R, ...)
  int step_ = 0, steps_ = 0;
  std::optional<Flight> incoming_;
};

// The gradients of keys and values on their way home.
class MovingSums {
 public:
  explicit MovingSums(const RingMoves& moves);
  // Those of a step's keys, in the accumulation dtype.
  void add(const at::Tensor& dk, const at::Tensor& dv, int owner, int step);
  // dk and dv of the rank's own keys.
  std::vector<at::Tensor> finish();

 private:
  const RingMoves& moves_;
  std::vector<at::Tensor> dk_, dv_;  // rotate=allgather: by owner
  std::optional<Flight> incoming_;
};

}  // namespace attncheck
