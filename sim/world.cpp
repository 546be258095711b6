#include "sim/world.h"

#include <c10/util/Exception.h>

#include "sim/affinity.h"
#include "sim/crew.h"

namespace attncheck::sim {

World::World(int size, Options options) : schedule_(std::make_unique<RoundRobin>()) {
  TORCH_CHECK(size >= 1, "sim: a world has 1 rank or more, not ", size);
  crew_ = std::make_unique<Crew>(size, options.core < 0 ? current_core() : options.core);
}

World::~World() = default;

int World::size() const {
  return crew_->size();
}

int World::core() const {
  return crew_->core();
}

void World::set_schedule(std::unique_ptr<Schedule> schedule) {
  TORCH_CHECK(schedule != nullptr, "sim: a world needs a schedule");
  schedule_ = std::move(schedule);
}

std::vector<std::optional<std::string>> World::run(const std::function<void(RankContext&)>& work,
                                                   const RunOptions& options) {
  return crew_->run(work, *schedule_, options);
}

bool World::waited_in_vain(int rank) const {
  return crew_->waited_in_vain(rank);
}

const std::vector<RankTrace>& World::trace() const {
  return crew_->trace();
}

}  // namespace attncheck::sim
