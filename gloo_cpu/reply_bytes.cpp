#include "gloo_cpu/reply_bytes.h"

#include <sstream>

#include <c10/util/Exception.h>

namespace attncheck::gloo_cpu {
namespace {

void write_text(std::ostream& out, const std::string& text) {
  out << text.size() << ' ' << text;
}

std::string read_text(std::istream& in) {
  size_t size = 0;
  in >> size;
  in.get();
  TORCH_CHECK(in.good(), "the bytes are no replies of ranks");
  std::string text(size, '\0');
  in.read(text.data(), static_cast<std::streamsize>(size));
  TORCH_CHECK(!in.fail(), "the replies of ranks end before byte ", size, " of a text");
  return text;
}

void write_reply(std::ostream& out, const RankReply& reply) {
  out << static_cast<int>(reply.outcome) << ' ' << reply.code << ' ' << reply.stopped << ' '
      << reply.after.count() << ' ';
  write_text(out, reply.bytes);
  write_text(out, reply.log_tail);
  write_text(out, reply.detail);
}

RankReply read_reply(std::istream& in) {
  RankReply reply;
  int outcome = 0;
  int64_t after = 0;
  in >> outcome >> reply.code >> reply.stopped >> after;
  reply.outcome = static_cast<RankReply::Outcome>(outcome);
  reply.after = std::chrono::microseconds(after);
  reply.bytes = read_text(in);
  reply.log_tail = read_text(in);
  reply.detail = read_text(in);
  return reply;
}

}  // namespace

std::string to_bytes(const PartReplies& part) {
  std::ostringstream out;
  out << part.started << ' ' << part.usable << ' ' << part.replies.size() << ' ';
  for (const RankReply& reply : part.replies) write_reply(out, reply);
  return out.str();
}

PartReplies replies_from_bytes(const std::string& bytes) {
  std::istringstream in(bytes);
  PartReplies part;
  size_t count = 0;
  in >> part.started >> part.usable >> count;
  TORCH_CHECK(!in.fail(), "the bytes are no replies of ranks");
  for (size_t i = 0; i < count; ++i) part.replies.push_back(read_reply(in));
  return part;
}

}  // namespace attncheck::gloo_cpu
