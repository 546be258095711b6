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

void Message::post_send(MessageSide sent, Buffer data, bool buffered, Journal& journal) {
  sent_ = sent;
  buffered_ = buffered;
  data_ = std::move(data);
  compare_sides(journal);
}

void Message::post_receive(MessageSide expected, Journal& journal) {
  expected_ = expected;
  compare_sides(journal);
}

std::string Message::operation(int rank) const {
  const bool sender = rank == route_.from;
  return (sender ? "send #" : "recv #") + std::to_string(number_) + (sender ? " to " : " from ") +
         std::to_string(sender ? route_.to : route_.from) + " tag " + std::to_string(route_.tag) +
         " of " + group_->text();
}

std::string Message::describe(int rank) const {
  const bool sender_waits = rank == route_.from && !ready(rank);
  return operation(rank) + (sender_waits ? " (its receive is not posted)" : "");
}

bool Message::waits_for(int rank, int peer) const {
  if (ready(rank)) return false;
  return peer == (rank == route_.from ? route_.to : route_.from);
}

void Message::deliver(int rank, const Destination& to, Journal& journal) {
  if (!error_.empty()) C10_THROW_ERROR(DistBackendError, error_);
  if (rank != route_.to) return;
  copy_elements(to.chunk(0), data_.data(), sent_->count, sent_->dtype);
  journal.receive(rank, route_.from, Kind::kSend, sent_->bytes());
}

void Message::report_unmatched(const Baton& baton, Journal& journal) const {
  const int poster = sent() ? route_.from : route_.to, absent = sent() ? route_.to : route_.from;
  if (baton.threw(absent)) return;
  const MessageSide& side = sent() ? *sent_ : *expected_;
  journal.add(FindingKind::unmatched, poster, operation(poster),
              "rank " + std::to_string(poster) + (sent() ? " sends" : " expects") + " message #" +
                  std::to_string(number_) + " of " + group_->text() + " (" + text_of(side) + ")" +
                  (sent() ? " to" : " from") + " rank " + std::to_string(absent) + " with tag " +
                  std::to_string(route_.tag) + "; rank " + std::to_string(absent) +
                  " never posts that " + (sent() ? "receive" : "send"));
}

void Message::compare_sides(Journal& journal) {
  if (!sent_ || !expected_) return;
  if (sent_->count == expected_->count && sent_->dtype == expected_->dtype) return;
  error_ = "mismatch in message #" + std::to_string(number_) + " of " + group_->text() + ", tag " +
           std::to_string(route_.tag) + ": rank " + std::to_string(route_.from) + " sends " +
           text_of(*sent_) + ", rank " + std::to_string(route_.to) + " expects " +
           text_of(*expected_);
  for (int rank : {route_.from, route_.to}) {
    journal.add(FindingKind::mismatch, rank, operation(rank), error_);
  }
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
