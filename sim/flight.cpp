#include "sim/flight.h"

#include <algorithm>
#include <exception>
#include <utility>

namespace attncheck::sim {

void Flights::add(Flight& flight) {
  flight.flying = true;
  flights_.push_back(&flight);
}

void Flights::land(Flight& flight) {
  if (!flight.flying) return;
  flight.flying = false;
  flights_.erase(std::find(flights_.begin(), flights_.end(), &flight));
}

void Flights::drop(Flight& flight) {
  if (!flight.flying) return;
  if (std::uncaught_exceptions() == 0) report_unwaited(flight, " drops ");
  land(flight);
}

void Flights::report_aliased(const Transfer& transfer) {
  std::string operation = transfer.operation(rank_);
  std::string text = "rank " + std::to_string(rank_) + " posts " + operation +
                     " with an output that overlaps its input";
  journal_->add(FindingKind::aliased, rank_, std::move(operation), std::move(text));
}

void Flights::end(bool threw) {
  if (threw) journal_->forget(FindingKind::unwaited, rank_);
  for (Flight* flight : flights_) {
    if (!threw) report_unwaited(*flight, " ends with ");
    flight->flying = false;
  }
  flights_.clear();
}

void Flights::report_unwaited(const Flight& flight, const char* what) {
  std::string operation = flight.transfer->operation(rank_);
  std::string text = "rank " + std::to_string(rank_) + what + operation + " unwaited";
  journal_->add(FindingKind::unwaited, rank_, std::move(operation), std::move(text));
}

}  // namespace attncheck::sim
