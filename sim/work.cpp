#include "sim/work.h"

#include <algorithm>
#include <utility>

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/empty.h>

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

namespace {

// Where an allgather's outputs are written whose memory has another order: copied to them once they
// are in nobody's flight. Empty where all are contiguous, which others always are.
std::vector<at::Tensor> landing_of(const std::vector<at::Tensor>& outputs) {
  const auto contiguous = [](const at::Tensor& output) { return output.is_contiguous(); };
  std::vector<at::Tensor> landing;
  if (std::all_of(outputs.begin(), outputs.end(), contiguous)) return landing;
  for (const at::Tensor& output : outputs) {
    landing.push_back(at::empty(output.sizes(), output.options()));
  }
  return landing;
}

void copy_home(const std::vector<at::Tensor>& landing, std::vector<at::Tensor>& outputs) {
  const at::AutoDispatchBelowAutograd no_autograd;
  for (size_t i = 0; i < landing.size(); ++i) outputs[i].copy_(landing[i]);
}

}  // namespace

void SimWork::settle(bool await) {
  Flights& flights = mesh().in_flight[rank_in_world_];
  Transfer& transfer = *flight_.transfer;
  std::vector<at::Tensor> landing;
  try {
    if (await) mesh().baton.wait(rank_in_world_, transfer);
    if (mesh().options.watch) flights.compare_bytes(flight_);
    landing = landing_of(flight_.outputs);
    const std::vector<at::Tensor>& to = landing.empty() ? flight_.outputs : landing;
    transfer.deliver(rank_in_world_, destination_of(to, receives_), mesh().journal);
  } catch (...) {
    failure_ = std::current_exception();
    flights.land(flight_);
    throw;
  }
  flights.land(flight_);
  copy_home(landing, flight_.outputs);
  settled_ = true;
  flight_.transfer = nullptr;
}

void SimWork::abandon() {
  mesh().in_flight[rank_in_world_].land(flight_);
}

BatchWork::BatchWork(int group_rank, std::vector<SimWorkPtr> works)
    : Work(group_rank, c10d::OpType::COALESCED), works_(std::move(works)) {}

bool BatchWork::wait(std::chrono::milliseconds timeout) {
  try {
    for (const SimWorkPtr& work : works_) work->wait(timeout);
  } catch (...) {
    for (const SimWorkPtr& work : works_) work->abandon();
    throw;
  }
  return true;
}

bool BatchWork::isCompleted() {
  return std::all_of(works_.begin(), works_.end(),
                     [](const SimWorkPtr& work) { return work->isCompleted(); });
}

bool BatchWork::isSuccess() const {
  return std::all_of(works_.begin(), works_.end(),
                     [](const SimWorkPtr& work) { return work->isSuccess(); });
}

std::exception_ptr BatchWork::exception() const {
  for (const SimWorkPtr& work : works_) {
    if (auto failure = work->exception()) return failure;
  }
  return nullptr;
}

std::vector<at::Tensor> BatchWork::result() {
  std::vector<at::Tensor> all;
  for (const SimWorkPtr& work : works_) {
    for (const at::Tensor& tensor : work->result()) all.push_back(tensor);
  }
  return all;
}

}  // namespace attncheck::sim
