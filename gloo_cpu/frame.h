#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

// What goes over a rank's socket: frames of a 16-byte header {magic, kind, size} and `size` opaque
// bytes, in the byte order of the machine, since both ends run on it.

namespace attncheck::gloo_cpu {

struct FrameHeader {
  // ready: a rank's first frame, once. doubtful: an answer whose rank no longer trusts its groups.
  // anew: a request before which the rank makes its groups anew.
  enum class Kind : std::uint32_t { ready = 1, request = 2, answer = 3, doubtful = 4, anew = 5 };

  std::uint32_t magic = 0;
  Kind kind = Kind::ready;
  std::uint64_t size = 0;  // bytes that follow
};
static_assert(sizeof(FrameHeader) == 16);

// On a non-blocking socket `more` means: poll, then call again. A blocking socket never gives it.
enum class Progress { more, complete, closed };

// One frame on its way out. The payload is not copied and must outlive the frame.
class OutgoingFrame {
 public:
  OutgoingFrame(FrameHeader::Kind kind, std::string_view payload);

  // Sends as much as the socket takes. `closed`: the other end is gone; no SIGPIPE is raised.
  Progress push(int socket);

 private:
  FrameHeader header_;
  std::string_view payload_;
  std::size_t sent_ = 0;
};

// One frame on its way in.
class IncomingFrame {
 public:
  // Receives as much as there is, never past this frame's end. `closed`: the other end is gone, so
  // the frame will never be complete. Throws if what comes is not a frame.
  Progress pull(int socket);

  FrameHeader::Kind kind() const { return header_.kind; }
  std::string& payload() { return payload_; }

 private:
  Progress receive(int socket, char* to, std::size_t size, std::size_t& got);
  void accept_header();

  std::array<char, sizeof(FrameHeader)> raw_{};
  FrameHeader header_;
  std::string payload_;
  std::size_t header_got_ = 0;
  std::size_t payload_got_ = 0;
};

}  // namespace attncheck::gloo_cpu
