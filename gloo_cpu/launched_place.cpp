#include "gloo_cpu/launched_place.h"

#include <charconv>
#include <cstdlib>
#include <stdexcept>

namespace attncheck::gloo_cpu {
namespace {

constexpr int kFirstPort = 20000, kPorts = 20000;  // below those that the system gives to clients
constexpr const char* kLoopbackHost = "127.0.0.1";

// What a launcher calls the same things.
struct Names {
  const char *launcher, *rank, *world, *local_rank, *local_world, *job;
};

constexpr Names kTorchrun{
    "torchrun", "RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "TORCHELASTIC_RUN_ID"};
constexpr Names kSrun{"srun", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID",
                      "",     "SLURM_JOB_ID"};
constexpr Names kOpenMpi{"mpirun",
                         "OMPI_COMM_WORLD_RANK",
                         "OMPI_COMM_WORLD_SIZE",
                         "OMPI_COMM_WORLD_LOCAL_RANK",
                         "OMPI_COMM_WORLD_LOCAL_SIZE",
                         "PMIX_NAMESPACE"};
constexpr Names kPmi{"mpirun",          "PMI_RANK",        "PMI_SIZE",
                     "MPI_LOCALRANKID", "MPI_LOCALNRANKS", "HYDI_CONTROL_FD"};

class Reader {
 public:
  explicit Reader(const Variables& variable) : variable_(variable) {}

  bool has(const std::string& name) const { return !text(name).empty(); }
  std::string text(const std::string& name) const { return name.empty() ? "" : variable_(name); }
  int number(const std::string& name) const {
    const std::string given = text(name);
    int value = 0;
    const auto [end, error] = std::from_chars(given.data(), given.data() + given.size(), value);
    if (error == std::errc() && end == given.data() + given.size() && value >= 0) return value;
    throw std::invalid_argument(name + " must be a number of 0 or more but is '" + given + "'");
  }
  int number_or(const std::string& name, int other) const {
    return has(name) ? number(name) : other;
  }

 private:
  const Variables& variable_;
};

// "gpu[07-09,12],login" -> "gpu07".
std::string first_host(const std::string& list) {
  const size_t bracket = list.find('['), comma = list.find(',');
  if (bracket == std::string::npos || comma < bracket) return list.substr(0, comma);
  const size_t end = list.find_first_of(",-]", bracket + 1);
  return list.substr(0, bracket) + list.substr(bracket + 1, end - bracket - 1);
}

uint64_t hash_of(const std::string& text) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

void find_host(const Reader& read, const Names& names, LaunchedPlace& place) {
  place.host = read.text("MASTER_ADDR");
  if (!place.host.empty()) return;
  if (place.local_world == place.world) {
    place.host = kLoopbackHost;
  } else if (read.has("SLURM_STEP_NODELIST")) {
    place.host = first_host(read.text("SLURM_STEP_NODELIST"));
  } else {
    throw std::invalid_argument(std::string(names.launcher) +
                                " started processes on several machines: set MASTER_ADDR to the "
                                "host of rank 0, and MASTER_PORT");
  }
}

void find_port(const Reader& read, const Names& names, LaunchedPlace& place) {
  const std::string job = read.text(names.job) + "." + read.text("SLURM_STEP_ID");
  place.port = read.number_or("MASTER_PORT", kFirstPort + static_cast<int>(hash_of(job) % kPorts));
  if (place.port > 0 && place.port < 65536) return;
  throw std::invalid_argument("MASTER_PORT must be a port from 1 to 65535 but is " +
                              std::to_string(place.port));
}

LaunchedPlace place_by(const Reader& read, const Names& names) {
  LaunchedPlace place;
  place.launcher = names.launcher;
  place.rank = read.number(names.rank);
  place.world = read.number(names.world);
  if (place.rank >= place.world) {
    throw std::invalid_argument(std::string(names.rank) + " is " + std::to_string(place.rank) +
                                " in a world of " + std::to_string(place.world) + ", " +
                                names.world);
  }
  const bool one_machine = read.number_or("SLURM_STEP_NUM_NODES", 1) == 1;
  place.local_rank = read.number_or(names.local_rank, place.rank);
  const int others_unknown = place.local_rank + 1;
  place.local_world = read.number_or(names.local_world, one_machine ? place.world : others_unknown);
  find_host(read, names, place);
  find_port(read, names, place);
  place.store_is_kept = read.text("TORCHELASTIC_USE_AGENT_STORE") == "True";
  return place;
}

// Whether torchrun's variables are there. A half of them is no world of one: each of its processes
// would check alone what all were to check together.
bool says_a_world(const Reader& read) {
  if (!read.has("RANK") || !read.has("WORLD_SIZE")) return false;
  if (read.has("MASTER_ADDR") && read.has("MASTER_PORT")) return true;
  if (read.text("WORLD_SIZE") == "1") return false;
  throw std::invalid_argument(
      "RANK and WORLD_SIZE are set, and MASTER_ADDR or MASTER_PORT is not: set all four, as "
      "torchrun does, or none");
}

}  // namespace

std::optional<LaunchedPlace> launched_place(const Variables& variable) {
  const Reader read(variable);
  if (says_a_world(read)) return place_by(read, kTorchrun);
  if (read.has(kOpenMpi.rank) && read.has(kOpenMpi.world)) return place_by(read, kOpenMpi);
  for (const Names& names : {kSrun, kPmi}) {
    if (!read.has(names.rank) || read.number_or(names.world, 1) == 1) continue;
    return place_by(read, names);
  }
  return std::nullopt;
}

std::optional<LaunchedPlace> launched_place() {
  return launched_place([](const std::string& name) -> std::string {
    const char* value = std::getenv(name.c_str());
    return value == nullptr ? "" : value;
  });
}

}  // namespace attncheck::gloo_cpu
