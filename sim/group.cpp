#include "sim/group.h"

#include <utility>

namespace attncheck::sim {

Group::Group(std::shared_ptr<Mesh> mesh, Members members)
    : mesh_(std::move(mesh)),
      members_(std::make_shared<const Members>(std::move(members))),
      posted_(members_->size(), 0) {}

std::shared_ptr<Transfer> Group::post(int group_rank, Contribution part) {
  const std::shared_ptr<Round> round = round_of(posted_[group_rank]++);
  round->post(group_rank, std::move(part), mesh_->journal);
  mesh_->baton.progress();
  if (round->settled()) {
    for (int rank : members_->ranks) mesh_->baton.wake(rank, *round);
  }
  drop_complete_rounds();
  return round;
}

std::shared_ptr<Round> Group::round_of(int64_t index) {
  while (index - first_round_ >= static_cast<int64_t>(rounds_.size())) {
    const int64_t number = first_round_ + static_cast<int64_t>(rounds_.size()) + 1;
    rounds_.push_back(std::make_shared<Round>(members_, number));
  }
  return rounds_[index - first_round_];
}

void Group::drop_complete_rounds() {
  while (!rounds_.empty() && rounds_.front()->complete()) {
    rounds_.pop_front();
    ++first_round_;
  }
}

std::shared_ptr<Transfer> Group::send(int from, int to, int tag, MessageSide side, Buffer data) {
  auto message = channel(from, to, tag).for_send(route(from, to, tag), members_);
  message->post_send(side, std::move(data), mesh_->buffers(side.bytes()), mesh_->journal);
  mesh_->baton.progress();
  mesh_->baton.wake(world_rank(to), *message);
  return message;
}

std::shared_ptr<Transfer> Group::receive(int from, int to, int tag, MessageSide side) {
  auto message = channel(from, to, tag).for_receive(route(from, to, tag), members_);
  message->post_receive(side, mesh_->journal);
  mesh_->baton.progress();
  mesh_->baton.wake(world_rank(from), *message);
  return message;
}

Channel& Group::channel(int from, int to, int tag) {
  return channels_[{from, to, tag}];
}

Route Group::route(int from, int to, int tag) const {
  return Route{world_rank(from), world_rank(to), tag};
}

void Group::report_unmatched() const {
  for (const auto& round : rounds_) round->report_unmatched(mesh_->baton, mesh_->journal);
  for (const auto& [route, channel] : channels_) {
    for (const auto& message : channel.open()) {
      message->report_unmatched(mesh_->baton, mesh_->journal);
    }
  }
}

void Group::reset() {
  posted_.assign(members_->size(), 0);
  rounds_.clear();
  first_round_ = 0;
  channels_.clear();
}

}  // namespace attncheck::sim
