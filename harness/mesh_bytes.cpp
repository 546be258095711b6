#include "harness/mesh_bytes.h"

#include <limits>

#include "properties/bytes.h"

namespace attncheck {
namespace {

constexpr int64_t kMostRanks = 1 << 20;
constexpr int64_t kMostEntries = 1 << 20;
constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

int small_number(ByteReader& reader, int64_t least = 0) {
  return static_cast<int>(reader.number(least, kMostRanks));
}

void write_trace(ByteWriter& writer, const RankTrace& trace) {
  writer.number(static_cast<int64_t>(trace.findings.size()));
  for (const Finding& finding : trace.findings) {
    writer.number(static_cast<int64_t>(finding.kind));
    writer.text(finding.operation);
    writer.text(finding.text);
  }
  writer.number(static_cast<int64_t>(trace.received.size()));
  for (const Received& part : trace.received) {
    writer.number(part.peer);
    writer.text(part.operation);
    writer.number(part.bytes);
    writer.number(part.messages);
  }
}

RankTrace read_trace(ByteReader& reader) {
  RankTrace trace;
  for (int64_t left = reader.number(0, kMostEntries); left > 0; --left) {
    Finding& finding = trace.findings.emplace_back();
    const auto last = static_cast<int64_t>(Finding::Kind::unmatched);
    finding.kind = static_cast<Finding::Kind>(reader.number(0, last));
    finding.operation = reader.text();
    finding.text = reader.text();
  }
  for (int64_t left = reader.number(0, kMostEntries); left > 0; --left) {
    Received& part = trace.received.emplace_back();
    part.peer = small_number(reader, -1);
    part.operation = reader.text();
    part.bytes = reader.number(0, kMost);
    part.messages = reader.number(0, kMost);
  }
  return trace;
}

void write_reply(ByteWriter& writer, const RankReply& reply) {
  writer.number(static_cast<int64_t>(reply.outcome));
  writer.number(reply.code);
  writer.number(reply.after.count());
  writer.text(reply.bytes);
  writer.text(reply.note);
  writer.number(reply.waited ? 1 : 0);
  writer.number(reply.trace ? 1 : 0);
  if (reply.trace) write_trace(writer, *reply.trace);
}

RankReply read_reply(ByteReader& reader) {
  RankReply reply;
  const auto last = static_cast<int64_t>(RankReply::Outcome::bystander);
  reply.outcome = static_cast<RankReply::Outcome>(reader.number(0, last));
  reply.code = static_cast<int>(reader.number(-kMostRanks, kMostRanks));
  reply.after = std::chrono::microseconds(reader.number(0, kMost));
  reply.bytes = reader.text();
  reply.note = reader.text();
  reply.waited = reader.number(0, 1) == 1;
  if (reader.number(0, 1) == 1) reply.trace = read_trace(reader);
  return reply;
}

}  // namespace

std::string to_bytes(const MeshRun& run) {
  ByteWriter writer;
  const Launch& launch = run.launch;
  writer.number(launch.mesh.ring);
  writer.number(launch.mesh.ulysses);
  writer.number(static_cast<int64_t>(launch.mesh.order));
  writer.number(launch.placement.world);
  writer.number(static_cast<int64_t>(launch.placement.members.size()));
  for (int member : launch.placement.members) writer.number(member);
  writer.text(launch.request);
  writer.text(launch.schedule);
  writer.number(launch.watch ? 1 : 0);
  writer.number(run.renew ? 1 : 0);
  writer.number(run.send_buffer);
  writer.number(run.core);
  return writer.take();
}

MeshRun mesh_run_from_bytes(const std::string& bytes) {
  ByteReader reader(bytes, "run of a mesh");
  MeshRun run;
  Launch& launch = run.launch;
  launch.mesh.ring = small_number(reader, 1);
  launch.mesh.ulysses = small_number(reader, 1);
  const auto last = static_cast<int64_t>(MeshOrder::ur);
  launch.mesh.order = static_cast<MeshOrder>(reader.number(0, last));
  launch.placement.world = small_number(reader, 1);
  for (int left = small_number(reader); left > 0; --left) {
    launch.placement.members.push_back(small_number(reader));
  }
  launch.request = reader.text();
  launch.schedule = reader.text();
  launch.watch = reader.number(0, 1) == 1;
  run.renew = reader.number(0, 1) == 1;
  run.send_buffer = reader.number(0, kMost);
  run.core = small_number(reader);
  reader.end();
  return run;
}

std::string to_bytes(const std::vector<RankReply>& replies) {
  ByteWriter writer;
  writer.number(static_cast<int64_t>(replies.size()));
  for (const RankReply& reply : replies) write_reply(writer, reply);
  return writer.take();
}

std::vector<RankReply> replies_from_bytes(const std::string& bytes) {
  ByteReader reader(bytes, "replies of a mesh");
  std::vector<RankReply> replies;
  for (int left = small_number(reader); left > 0; --left) replies.push_back(read_reply(reader));
  reader.end();
  return replies;
}

}  // namespace attncheck
