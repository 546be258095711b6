#pragma once

#include <cstdint>
#include <vector>

namespace attncheck::scale {

// The groups of a rank's mesh.
enum class Axis { ring, ulysses };

// One exchange, as one rank posts it.
struct Exchange {
  enum class Kind { collective, send, receive };
  Kind kind = Kind::collective;
  Axis axis = Axis::ring;
  int peer = 0;                // of a message: rank in the group
  int tag = 0;                 // of a message
  int64_t bytes = 0;           // received from all peers together; of a message, its size
  const char* operation = "";  // "allgather", "alltoall", "send", "recv"
};

// What one rank does, in order: it computes, posts exchanges, and waits for them.
struct Step {
  enum class Kind { compute, post, wait };
  Kind kind = Kind::compute;
  double flops = 0;       // of compute
  size_t exchange = 0;    // of post and wait: which of Script::exchanges
  const char* pass = "";  // of compute: "forward" or "backward"
};

struct Script {
  std::vector<Step> steps;
  std::vector<Exchange> exchanges;

  void compute(double flops, const char* pass = "") {
    steps.push_back({Step::Kind::compute, flops, 0, pass});
  }
  size_t post(const Exchange& exchange) {
    exchanges.push_back(exchange);
    steps.push_back({Step::Kind::post, 0, exchanges.size() - 1});
    return exchanges.size() - 1;
  }
  void wait(size_t exchange) { steps.push_back({Step::Kind::wait, 0, exchange}); }

  double flops() const;
  int64_t received_bytes() const;  // sends left out
};

}  // namespace attncheck::scale
