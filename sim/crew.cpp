#include "sim/crew.h"

#include <latch>
#include <utility>

#include <ATen/Parallel.h>
#include <c10/util/Exception.h>

#include "sim/affinity.h"
#include "sim/vector_math.h"
#include "sim/watch.h"

namespace attncheck::sim {

namespace {

// Of this thread alone. The first call makes LibTorch set the thread up, which would undo the
// second.
void use_one_intraop_thread() {
  at::get_num_threads();
  at::set_num_threads(1);
}

std::optional<std::string> error_of(const Crew::Work& work, RankContext& context, bool watched) {
  const Watch watch(watched);
  try {
    work(context);
    return std::nullopt;
  } catch (const c10::Error& error) {
    return error.what_without_backtrace();
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "an exception that is no std::exception";
  }
}

}  // namespace

Crew::Crew(int size, int core)
    : mesh_(std::make_shared<Mesh>(size)), book_(mesh_), core_(core), errors_(size) {
  for (int rank = 0; rank < size; ++rank)
    ranks_.push_back(std::make_unique<Rank>(mesh_, book_, rank));
  settle_vector_math();
  mesh_->baton.on_deadlock([this] { report_unmatched(); });
  start_threads(size);
}

Crew::~Crew() {
  mesh_->baton.stop();
  for (std::thread& thread : threads_) thread.join();
}

void Crew::start_threads(int size) {
  // set_num_threads also sets what threads to come start with; the last call puts that back.
  const int before = at::get_num_threads();
  std::latch ready(size);
  for (int rank = 0; rank < size; ++rank) {
    threads_.emplace_back([this, rank, &ready] {
      const CorePin pin(core_);
      use_one_intraop_thread();
      ready.count_down();
      live(rank);
    });
  }
  ready.wait();
  at::set_num_threads(before);
}

void Crew::live(int rank) {
  current_rank() = {mesh_.get(), rank};
  while (mesh_->baton.await_turn(rank)) {
    errors_[rank] = error_of(*work_, *ranks_[rank], mesh_->options.watch);
    mesh_->in_flight[rank].end(errors_[rank].has_value());
    mesh_->baton.finish(rank, errors_[rank]);
  }
}

void Crew::report_unmatched() {
  if (unmatched_reported_ || mesh_->baton.failed_on_its_own()) return;
  unmatched_reported_ = true;
  book_.report_unmatched();
}

Crew::Errors Crew::run(const Work& work, Schedule& schedule, const RunOptions& options) {
  TORCH_CHECK(current_rank().mesh == nullptr, "sim: World::run was called from a simulated rank");
  const CorePin pin(core_);
  book_.reset();
  mesh_->start_run(options);
  unmatched_reported_ = false;
  work_ = &work;
  mesh_->baton.run_all(schedule);
  report_unmatched();
  mesh_->journal.end_run();
  work_ = nullptr;
  return std::exchange(errors_, Errors(size()));
}

}  // namespace attncheck::sim
