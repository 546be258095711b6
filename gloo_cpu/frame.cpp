#include "gloo_cpu/frame.h"

#include <cerrno>
#include <cstring>

#include <c10/util/Exception.h>
#include <sys/socket.h>
#include <sys/uio.h>

namespace attncheck::gloo_cpu {
namespace {

constexpr std::uint32_t kMagic = 0x41746e31;

// The outcome of a call on a socket that returned `count` < 0, by errno.
Progress after_error(const char* call) {
  if (errno == EAGAIN || errno == EINTR) return Progress::more;
  const bool gone = errno == EPIPE || errno == ECONNRESET;
  TORCH_CHECK(gone, call, " on a rank's socket failed: ", std::strerror(errno));
  return Progress::closed;
}

}  // namespace

OutgoingFrame::OutgoingFrame(FrameHeader::Kind kind, std::string_view payload)
    : header_{kMagic, kind, payload.size()}, payload_(payload) {}

Progress OutgoingFrame::push(int socket) {
  while (sent_ < sizeof(header_) + payload_.size()) {
    const std::size_t head = sent_ < sizeof(header_) ? sizeof(header_) - sent_ : 0;
    const std::size_t body = head > 0 ? 0 : sent_ - sizeof(header_);
    iovec parts[2] = {{reinterpret_cast<char*>(&header_) + sizeof(header_) - head, head},
                      {const_cast<char*>(payload_.data()) + body, payload_.size() - body}};
    msghdr message{};
    message.msg_iov = parts;
    message.msg_iovlen = 2;
    const ssize_t count = ::sendmsg(socket, &message, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return after_error("sendmsg");
    sent_ += static_cast<std::size_t>(count);
  }
  return Progress::complete;
}

Progress IncomingFrame::receive(int socket, char* to, std::size_t size, std::size_t& got) {
  while (got < size) {
    const ssize_t count = ::recv(socket, to + got, size - got, 0);
    if (count == 0) return Progress::closed;
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return after_error("recv");
    got += static_cast<std::size_t>(count);
  }
  return Progress::complete;
}

void IncomingFrame::accept_header() {
  std::memcpy(&header_, raw_.data(), sizeof(header_));
  TORCH_CHECK(header_.magic == kMagic, "expected a frame (magic ", kMagic, ") but got ",
              header_.magic, ": something else wrote to a rank's socket");
  payload_.resize(header_.size);
}

Progress IncomingFrame::pull(int socket) {
  if (header_got_ < raw_.size()) {
    const Progress progress = receive(socket, raw_.data(), raw_.size(), header_got_);
    if (progress != Progress::complete) return progress;
    accept_header();
  }
  return receive(socket, payload_.data(), payload_.size(), payload_got_);
}

}  // namespace attncheck::gloo_cpu
