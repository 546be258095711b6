#include "sim/work.h"

#include <algorithm>
#include <utility>

#include "sim/arguments.h"

namespace attncheck::sim {

SimWork::SimWork(std::shared_ptr<Group> group, int group_rank, c10d::OpType type, Flight flight,
                 Chunks receives)
    : Work(group_rank, type),
      group_(std::move(group)),
      rank_in_world_(group_->world_rank(group_rank)),
      flight_(std::move(flight)),
      receives_(std::move(receives)) {
  mesh().in_flight[rank_in_world_].add(flight_);
}

SimWork::~SimWork() {
  mesh().in_flight[rank_in_world_].drop(flight_);
}

bool SimWork::wait(std::chrono::milliseconds) {
  mesh().require_turn(rank_in_world_);
  if (failure_) std::rethrow_exception(failure_);
  if (!settled_) settle(/*await=*/true);
  return true;
}

bool SimWork::isCompleted() {
  mesh().require_turn(rank_in_world_);
  if (failure_ || settled_) return true;
  const Transfer& transfer = *flight_.transfer;
  if (!transfer.ready(rank_in_world_)) mesh().baton.yield(rank_in_world_, transfer);
  if (transfer.ready(rank_in_world_)) settle(/*await=*/false);
  return settled_;
}

void SimWork::settle(bool await) {
  Flights& flights = mesh().in_flight[rank_in_world_];
  Transfer& transfer = *flight_.transfer;
  try {
    if (await) mesh().baton.wait(rank_in_world_, transfer);
    if (mesh().options.watch) flights.compare_bytes(flight_);
    transfer.deliver(rank_in_world_, destination_of(flight_.outputs, receives_), mesh().journal);
  } catch (...) {
    failure_ = std::current_exception();
    flights.land(flight_);
    throw;
  }
  flights.land(flight_);
  settled_ = true;
  flight_.transfer = nullptr;
}

BatchWork::BatchWork(int group_rank, std::vector<WorkPtr> works)
    : Work(group_rank, c10d::OpType::COALESCED), works_(std::move(works)) {}

bool BatchWork::wait(std::chrono::milliseconds timeout) {
  for (const WorkPtr& work : works_) work->wait(timeout);
  return true;
}

bool BatchWork::isCompleted() {
  return std::all_of(works_.begin(), works_.end(),
                     [](const WorkPtr& work) { return work->isCompleted(); });
}

bool BatchWork::isSuccess() const {
  return std::all_of(works_.begin(), works_.end(),
                     [](const WorkPtr& work) { return work->isSuccess(); });
}

std::exception_ptr BatchWork::exception() const {
  for (const WorkPtr& work : works_) {
    if (auto failure = work->exception()) return failure;
  }
  return nullptr;
}

std::vector<at::Tensor> BatchWork::result() {
  std::vector<at::Tensor> all;
  for (const WorkPtr& work : works_) {
    for (const at::Tensor& tensor : work->result()) all.push_back(tensor);
  }
  return all;
}

}  // namespace attncheck::sim
