#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "sim/members.h"
#include "sim/transfer.h"

namespace attncheck::sim {

// Where messages go: ranks of the world.
struct Route {
  int from;
  int to;
  int tag;
};

// One side's view of a message.
struct MessageSide {
  c10::ScalarType dtype;
  int64_t count;  // elements

  int64_t bytes() const { return count * static_cast<int64_t>(c10::elementSize(dtype)); }
};

// One message, in flight from the time that its send or its receive is posted.
class Message final : public Transfer {
 public:
  // `number` counts the messages of the route from 1.
  Message(Route route, int64_t number, std::shared_ptr<const Members> group);

  // Sides that do not fit get FindingKind::mismatch, both, and fail. The sender of a buffered
  // message does not wait, that of another waits for the receive.
  void post_send(MessageSide sent, Buffer data, bool buffered, Journal& journal);
  void post_receive(MessageSide expected, Journal& journal);
  bool sent() const { return sent_.has_value(); }
  bool expected() const { return expected_.has_value(); }

  bool ready(int rank) const override {
    return rank == route_.from ? buffered_ || expected() : sent();
  }
  std::string operation(int rank) const override;
  std::string describe(int rank) const override;
  bool waits_for(int rank, int peer) const override;
  const std::byte* posted(int) const override { return data_.data(); }
  void deliver(int rank, const Destination& to, Journal& journal) override;

  // FindingKind::unmatched at the side that posted, if the other was not stopped by an exception.
  void report_unmatched(const Baton& baton, Journal& journal) const;

 private:
  void compare_sides(Journal& journal);

  Route route_;
  int64_t number_;
  std::shared_ptr<const Members> group_;
  std::optional<MessageSide> sent_, expected_;
  Buffer data_;
  bool buffered_ = false;
  std::string error_;
};

// The messages of one route that still lack their other side. The n-th receive gets the n-th send.
class Channel {
 public:
  std::shared_ptr<Message> for_send(Route route, std::shared_ptr<const Members> group);
  std::shared_ptr<Message> for_receive(Route route, std::shared_ptr<const Members> group);

  // Those that still lack a side.
  const std::deque<std::shared_ptr<Message>>& open() const { return open_; }

 private:
  std::shared_ptr<Message> take_or_add(bool other_side_waits, Route route,
                                       std::shared_ptr<const Members> group);

  std::deque<std::shared_ptr<Message>> open_;  // all lack the same side
  int64_t posted_ = 0;
};

}  // namespace attncheck::sim
