#include "sim/channel.h"

#include <utility>

#include <c10/util/Exception.h>

namespace attncheck::sim {

namespace {

std::string text_of(const MessageSide& side) {
  return std::to_string(side.count) + " elements of " + c10::toString(side.dtype);
}

}  // namespace

Message::Message(Route route, int64_t number, std::shared_ptr<const Members> group)
    : route_(route), number_(number), group_(std::move(group)) {}

void Message::post_send(MessageSide sent, Buffer data) {
  sent_ = sent;
  data_ = std::move(data);
}

void Message::post_receive(MessageSide expected) {
  expected_ = expected;
}

std::string Message::describe(int rank) const {
  const bool sender = rank == route_.from;
  return (sender ? "send #" : "recv #") + std::to_string(number_) + (sender ? " to " : " from ") +
         std::to_string(sender ? route_.to : route_.from) + " tag " + std::to_string(route_.tag) +
         " of " + group_->text();
}

bool Message::waits_for(int rank, int peer) const {
  return rank == route_.to && peer == route_.from && !sent();
}

void Message::deliver(int rank, const Destination& to) {
  check_sides();
  if (rank != route_.to) return;
  copy_elements(to.chunk(0), data_.data(), sent_->count, sent_->dtype);
}

void Message::check_sides() const {
  if (!sent_ || !expected_) return;
  if (sent_->count == expected_->count && sent_->dtype == expected_->dtype) return;
  C10_THROW_ERROR(DistBackendError, "mismatch in message #" + std::to_string(number_) + " of " +
                                        group_->text() + ", tag " + std::to_string(route_.tag) +
                                        ": rank " + std::to_string(route_.from) + " sends " +
                                        text_of(*sent_) + ", rank " + std::to_string(route_.to) +
                                        " expects " + text_of(*expected_));
}

std::shared_ptr<Message> Channel::for_send(Route route, std::shared_ptr<const Members> group) {
  return take_or_add(!open_.empty() && open_.front()->expected(), route, std::move(group));
}

std::shared_ptr<Message> Channel::for_receive(Route route, std::shared_ptr<const Members> group) {
  return take_or_add(!open_.empty() && open_.front()->sent(), route, std::move(group));
}

std::shared_ptr<Message> Channel::take_or_add(bool other_side_waits, Route route,
                                              std::shared_ptr<const Members> group) {
  if (!other_side_waits) {
    open_.push_back(std::make_shared<Message>(route, ++posted_, group));
    return open_.back();
  }
  auto message = open_.front();
  open_.pop_front();
  return message;
}

}  // namespace attncheck::sim
