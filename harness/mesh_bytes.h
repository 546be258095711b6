#pragma once

#include <string>
#include <vector>

#include "harness/transport.h"

namespace attncheck {

// One run of a simulated mesh in a process of its own: what the process is told.
struct MeshRun {
  Launch launch;
  bool renew = false;       // Transport::renew before the run
  int64_t send_buffer = 0;  // SimOptions
  int core = 0;             // where the process may as well run: whoever asks waits meanwhile
};

// Bytes that cross a process border. The others throw c10::Error for bytes that are none.
std::string to_bytes(const MeshRun& run);
MeshRun mesh_run_from_bytes(const std::string& bytes);

// `started` and `stopped` are not in them: who answers was started.
std::string to_bytes(const std::vector<RankReply>& replies);
std::vector<RankReply> replies_from_bytes(const std::string& bytes);

}  // namespace attncheck
