#pragma once

#include <string>

#include "problem/mesh.h"

namespace attncheck::scale {

// A link of one rank, in one direction at full speed while it receives at full speed as well.
struct Link {
  std::string name;
  double seconds = 0;  // latency of one exchange
  double bytes_per_second = 0;
};

// "nvlink" 450 GB/s and 3 us, "pcie" 55 GB/s and 5 us, "ib" 50 GB/s and 5 us, "ethernet" 12.5 GB/s
// and 20 us (a direction: the vendors' figures for NVLink 4, PCIe 5 x16, one NDR 400 and one 100G
// port a rank), or NAME:MICROSECONDS:GIGABYTES. Throws std::invalid_argument.
Link parse_link(const std::string& text);

// The machine of a prediction.
struct Machine {
  Link inside, across;             // a node, and nodes
  int node = 8;                    // ranks
  double flops_per_second = 4e14;  // of one rank's attention kernel

  // What an axis of the mesh goes over: the slower of the links that it touches. The Ulysses axis
  // has neighbouring ranks, the ring axis every U-th.
  const Link& ring_link(const Mesh& mesh) const;
  const Link& ulysses_link(const Mesh& mesh) const;
};

}  // namespace attncheck::scale
