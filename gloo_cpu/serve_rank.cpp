#include "gloo_cpu/serve_rank.h"

#include <chrono>
#include <fstream>
#include <optional>
#include <thread>

#include <ATen/Parallel.h>
#include <c10/util/Exception.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <unistd.h>

#include "gloo_cpu/frame.h"

namespace attncheck::gloo_cpu {
namespace {

// Longer than what a parent that ends its set in order waits.
constexpr std::chrono::seconds kOrphanGrace{2};

// Ends this process some time after the parent's end of the socket closed, whatever the rank is
// busy with. The system does it too (ChildProcess), but not for a command that forks its rank.
void leave_with_parent(int socket) {
  std::thread([socket] {
    pollfd hang_up{socket, POLLRDHUP, 0};
    while (::poll(&hang_up, 1, -1) <= 0) continue;
    std::this_thread::sleep_for(kOrphanGrace);
    ::_exit(0);
  }).detach();
}

// Where the machine's memory runs out, a rank is to go, and neither its parent nor somebody's
// editor.
void be_the_first_to_go() {
  std::ofstream("/proc/self/oom_score_adj") << 1000;
}

void be_a_quiet_neighbour() {
  const sched_param ordinary{};
  ::sched_setscheduler(0, SCHED_BATCH, &ordinary);  // where it is refused, only speed is lost
  at::set_num_threads(1);
}

void send(int socket, FrameHeader::Kind kind, const std::string& bytes) {
  OutgoingFrame frame(kind, bytes);
  frame.push(socket);  // nobody to tell if the parent is gone: the next receive ends the loop
}

// The next request, if there is one; before some, the groups are made anew.
std::optional<std::string> receive(int socket, GroupFactory& groups) {
  IncomingFrame frame;
  if (frame.pull(socket) != Progress::complete) return std::nullopt;
  if (frame.kind() == FrameHeader::Kind::anew) groups.renew();
  return std::move(frame.payload());
}

}  // namespace

int serve_rank(const Answer& answer) {
  return serve_rank(answer, [](const RankPlace& place) { return gloo_groups(place, at::kCPU); });
}

int serve_rank(const Answer& answer, const MakeGroups& make_groups) {
  const RankPlace place = take_rank_place();
  TORCH_CHECK(::fcntl(place.socket, F_SETFD, FD_CLOEXEC) == 0, "descriptor ", place.socket,
              " of rank ", place.rank, " is not open");
  be_a_quiet_neighbour();
  be_the_first_to_go();
  leave_with_parent(place.socket);
  GroupFactory groups(place, make_groups(place));
  send(place.socket, FrameHeader::Kind::ready, {});
  while (const auto request = receive(place.socket, groups)) {
    const std::string bytes = answer(*request, groups);
    const bool trusted = groups.trusted();
    send(place.socket, trusted ? FrameHeader::Kind::answer : FrameHeader::Kind::doubtful, bytes);
  }
  return 0;
}

}  // namespace attncheck::gloo_cpu
