#pragma once

#include <functional>
#include <optional>
#include <string>

namespace attncheck::gloo_cpu {

// The place of this process in a world that a launcher started.
struct LaunchedPlace {
  std::string launcher;  // for a reader: "torchrun", "srun", "mpirun"
  int rank = 0, world = 1;
  int local_rank = 0, local_world = 1;  // among the processes of this machine, as far as is known
  std::string host;                     // of rank 0, where the processes meet
  int port = 0;
  bool store_is_kept = false;  // the launcher keeps a store there
};

// By the usual variables of the environment:
//   torchrun  RANK, WORLD_SIZE, LOCAL_RANK, LOCAL_WORLD_SIZE, MASTER_ADDR, MASTER_PORT; whoever
//             sets the first two and the last two is a launcher of this kind
//   srun      SLURM_PROCID, SLURM_STEP_NUM_TASKS, SLURM_LOCALID, SLURM_STEP_NODELIST
//   mpirun    OMPI_COMM_WORLD_RANK, _SIZE, _LOCAL_RANK, _LOCAL_SIZE; or PMI_RANK and PMI_SIZE, of
//             MPICH and its kin
// Of the latter two MASTER_ADDR and MASTER_PORT count as well where they are set. Without them
// processes of one machine meet at a port that is made of the job's number, those of srun on the
// first of their machines. A step of one task is no launched world for srun and PMI, which say so
// of what was started alone as well.
// Throws std::invalid_argument, with what would be right, for variables that make no place.
std::optional<LaunchedPlace> launched_place();

// The same of another environment: the value of a variable, empty where it is not set.
using Variables = std::function<std::string(const std::string& name)>;
std::optional<LaunchedPlace> launched_place(const Variables& variable);

}  // namespace attncheck::gloo_cpu
