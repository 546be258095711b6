#include <algorithm>

#include <fmt/format.h>

#include "harness/drive/provenance.h"
#include "problem/case_text.h"

namespace attncheck {
namespace {

using Fate = Contribution::Fate;

constexpr int kCellWidth = 7;
constexpr int kMostColumns = 10;  // (100 - the row's name - "  (999 more)") / kCellWidth
constexpr size_t kMostSentences = 16;

std::string ranks_text(const std::vector<int>& ranks) {
  std::string text;
  for (int rank : ranks) text += (text.empty() ? "" : "+") + std::to_string(rank);
  return text;
}

std::string cell_text(const Contribution& contribution) {
  switch (contribution.fate) {
    case Fate::none:
      return ".";
    case Fate::ok:
      return "ok";
    case Fate::missing:
      return "miss";
    case Fate::doubled:
      return "x2";
    case Fate::delivered:
      return "->" + ranks_text(contribution.at);
    case Fate::wrong:
      return "wrong";
  }
  return "";
}

std::string matrix_text(const std::string& title, const ContributionMatrix& matrix) {
  const int world = static_cast<int>(matrix.size());
  const int columns = std::min(world, kMostColumns);
  std::string text = title + "\n" + fmt::format("  {:<14}", "key shard:");
  for (int shard = 0; shard < columns; ++shard) text += fmt::format("{:>{}}", shard, kCellWidth);
  if (columns < world) text += fmt::format("  ({} more)", world - columns);
  text += "\n";
  for (int rank = 0; rank < world; ++rank) {
    text += fmt::format("  query rank {:<3}", rank);
    for (int shard = 0; shard < columns; ++shard) {
      text += fmt::format("{:>{}}", cell_text(matrix[rank][shard]), kCellWidth);
    }
    text += "\n";
  }
  return text;
}

// "Key shard 1: what query rank 0 adds arrives at rank 2, not at its owner, rank 1."
std::string sentence(const std::string& name, int query_rank, int shard, const Contribution& c) {
  const std::string subject =
      fmt::format("  {} of key shard {}: what query rank {} adds ", name, shard, query_rank);
  switch (c.fate) {
    case Fate::missing:
      return subject + "arrives nowhere";
    case Fate::doubled:
      return subject + "arrives twice at its owner";
    case Fate::delivered:
      return subject +
             fmt::format("arrives at rank {}, its owner is rank {}", ranks_text(c.at), shard);
    default:
      return subject + "has a wrong value";
  }
}

void add_sentences(const std::string& name, const ContributionMatrix& matrix, std::string& text) {
  size_t count = 0;
  for (size_t rank = 0; rank < matrix.size(); ++rank) {
    for (size_t shard = 0; shard < matrix.size(); ++shard) {
      const Contribution& contribution = matrix[rank][shard];
      if (!contribution.fault() || ++count > kMostSentences) continue;
      text += sentence(name, static_cast<int>(rank), static_cast<int>(shard), contribution) + "\n";
    }
  }
  if (count > kMostSentences) text += fmt::format("  ({} more)\n", count - kMostSentences);
}

void add_gradient(const std::string& name, const std::optional<ContributionMatrix>& matrix,
                  std::string& text) {
  if (!matrix) return;
  text +=
      matrix_text(name + ": where each query rank's contribution to a key shard arrived", *matrix);
  add_sentences(name, *matrix, text);
  text += "\n";
}

bool has(const std::optional<ContributionMatrix>& matrix, Fate fate) {
  if (!matrix) return false;
  return std::any_of(matrix->begin(), matrix->end(), [fate](const auto& row) {
    return std::any_of(row.begin(), row.end(),
                       [fate](const Contribution& c) { return c.fate == fate; });
  });
}

const ValueCheck* sum_of(const Provenance& provenance, const std::string& name) {
  for (const ValueCheck& check : provenance.sums) {
    if (check.name == name) return &check;
  }
  return nullptr;
}

// "right sum, wrong owner" or "wrong value".
std::string conclusion(const std::string& name, const std::optional<ContributionMatrix>& matrix,
                       const Provenance& provenance) {
  const ValueCheck* sum = sum_of(provenance, name);
  if (!matrix || sum == nullptr) return "";
  const bool fault = std::any_of(matrix->begin(), matrix->end(), [](const auto& row) {
    return std::any_of(row.begin(), row.end(), [](const Contribution& c) { return c.fault(); });
  });
  std::string text = fmt::format("  {}: the sum over ranks is {} (error {:.3g}, bound {:.3g})",
                                 name, sum->ok ? "right" : "wrong", sum->error, sum->bound);
  if (!fault && sum->ok) return text + "\n";
  const bool moved = has(matrix, Fate::delivered);
  return text + (sum->ok && moved ? ": right sum, wrong owner\n"
                 : sum->ok        ? ": the shards are wrong, and cancel\n"
                 : moved          ? ": wrong owner and wrong sum\n"
                                  : ": wrong value\n");
}

std::string wrong_dq_text(const Provenance& provenance) {
  std::string text;
  for (const ValueCheck& check : provenance.dq) {
    if (check.ok) continue;
    text += fmt::format("  {} is wrong (error {:.3g}, bound {:.3g})\n", check.name, check.error,
                        check.bound);
  }
  if (text.empty() && !provenance.dq.empty()) text = "  dQ is right on every rank\n";
  return text;
}

}  // namespace

std::string provenance_text(const Provenance& provenance) {
  std::string text = "case: " + to_text(provenance.case_) + "\n\n";
  if (provenance.out) {
    text +=
        matrix_text("out: which key shards each query rank's rows attended to", *provenance.out);
    add_sentences("out", *provenance.out, text);
    text += "\n";
  }
  add_gradient("dK", provenance.dk, text);
  add_gradient("dV", provenance.dv, text);
  text +=
      "  ok: once, at its owner   .: none expected   miss: nowhere   x2: twice at its owner\n"
      "  ->N: at rank N instead of its owner   wrong: no sum of contributions\n\n";
  text += conclusion("dK", provenance.dk, provenance) + conclusion("dV", provenance.dv, provenance);
  text += wrong_dq_text(provenance);
  for (const std::string& note : provenance.notes) text += "  note: " + note + "\n";
  text += provenance.fault() ? "a fault is shown\n" : "no fault is shown\n";
  return text;
}

}  // namespace attncheck
