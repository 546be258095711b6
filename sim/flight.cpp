#include "sim/flight.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <utility>

#include "sim/poison.h"

namespace attncheck::sim {

namespace {

bool any_touched(const at::Tensor& tensor, const std::vector<at::Tensor>& in_flight) {
  return std::any_of(in_flight.begin(), in_flight.end(),
                     [&](const at::Tensor& other) { return touches(tensor, bytes_of(other)); });
}

bool outputs_changed(const Flight& flight) {
  return !std::all_of(flight.outputs.begin(), flight.outputs.end(), is_poison);
}

// Compares the inputs with the copy that was posted. An input that is an output as well holds
// poison, and one that was given other memory is not the tensor that was posted.
bool inputs_changed(const Flight& flight, const std::byte* posted) {
  for (size_t i = 0; i < flight.inputs.size(); ++i) {
    const Bytes then = flight.input_bytes[i];
    const bool same_place = bytes_of(flight.inputs[i]) == then && then.size() > 0;
    if (same_place && !any_touched(flight.inputs[i], flight.outputs) &&
        std::memcmp(then.begin, posted, then.size()) != 0) {
      return true;
    }
    posted += then.size();
  }
  return false;
}

}  // namespace

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

bool Flights::touched_by(const at::Tensor& tensor) const {
  return std::any_of(flights_.begin(), flights_.end(), [&](const Flight* flight) {
    return any_touched(tensor, flight->outputs) || any_touched(tensor, flight->inputs);
  });
}

bool Flights::use(const at::Tensor& tensor, bool writes, const char* by) {
  bool found = false;
  for (Flight* flight : flights_) {
    const bool output = any_touched(tensor, flight->outputs);
    const bool input = !output && writes && any_touched(tensor, flight->inputs);
    if (!output && !input) continue;
    found = true;
    report_use(*flight, writes, output ? "output" : "input", std::string("in ") + by);
  }
  return found;
}

void Flights::use_by(Flight& next) {
  const auto used = [&](const at::Tensor& tensor, bool writes) {
    if (!touched_by(tensor)) return;
    const std::string by = next.transfer->operation(rank_);
    next.shared = use(tensor, writes, by.c_str()) || next.shared;
  };
  for (const at::Tensor& input : next.inputs) used(input, /*writes=*/false);
  for (const at::Tensor& output : next.outputs) used(output, /*writes=*/true);
}

void Flights::compare_bytes(Flight& flight) {
  if (flight.shared) return;  // the other one's end changes it
  if (outputs_changed(flight)) report_use(flight, true, "output", "through a pointer");
  if (flight.inputs.empty()) return;
  if (inputs_changed(flight, flight.transfer->posted(rank_))) {
    report_use(flight, true, "input", "through a pointer");
  }
}

void Flights::report_use(Flight& flight, bool writes, const char* what, const std::string& by) {
  if (std::exchange(writes ? flight.written_early : flight.read_early, true)) return;
  std::string operation = flight.transfer->operation(rank_);
  std::string text = "rank " + std::to_string(rank_) + (writes ? " writes the " : " reads the ") +
                     what + " of " + operation + " " + by + " before it was waited for";
  journal_->add(writes ? FindingKind::written_early : FindingKind::read_early, rank_,
                std::move(operation), std::move(text));
}

void Flights::report_unwaited(const Flight& flight, const char* what) {
  std::string operation = flight.transfer->operation(rank_);
  std::string text = "rank " + std::to_string(rank_) + what + operation + " unwaited";
  journal_->add(FindingKind::unwaited, rank_, std::move(operation), std::move(text));
}

}  // namespace attncheck::sim
