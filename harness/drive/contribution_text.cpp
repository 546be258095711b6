#include "harness/drive/contribution_text.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/drive/contribution_table.h"

namespace attncheck {
namespace {

using Fate = Contribution::Fate;
using Row = std::vector<Contribution>;

constexpr size_t kMostSentences = 16;
constexpr size_t kMostShardsNamed = 8;

// "key shards 1, 3"; empty when no cell of the row has that fate.
std::string shards_with(const Row& row, Fate fate) {
  std::vector<size_t> shards;
  for (size_t shard = 0; shard < row.size(); ++shard) {
    if (row[shard].fate == fate) shards.push_back(shard);
  }
  if (shards.empty()) return "";
  const size_t named = std::min(shards.size(), kMostShardsNamed);
  const std::string more = named < shards.size() ? ", ..." : "";
  return fmt::format("key shard{} {}{}", shards.size() > 1 ? "s" : "",
                     fmt::join(shards.begin(), shards.begin() + named, ", "), more);
}

using Sentences = std::vector<std::string>;

// What the values of one query rank have of each key shard: `who` is "query rank 1 ", `sees` what
// it does with a shard.
void add_parts(const Row& row, const std::string& who, const std::string& sees,
               Sentences& sentences) {
  const std::string missed = shards_with(row, Fate::missing);
  const std::string doubled = shards_with(row, Fate::doubled);
  const std::string wrong = shards_with(row, Fate::wrong);
  if (!missed.empty()) sentences.push_back(who + sees + " nothing of " + missed);
  if (!doubled.empty()) sentences.push_back(who + "counts twice " + doubled);
  if (!wrong.empty()) sentences.push_back(who + "gives a wrong weight to " + wrong);
}

void add_gradient(const std::string& name, const Row& row, size_t rank, Sentences& sentences) {
  for (size_t shard = 0; shard < row.size(); ++shard) {
    if (row[shard].fate != Fate::delivered) continue;
    sentences.push_back(fmt::format(
        "{} of key shard {}: what query rank {} adds arrives at rank {}, its owner is rank {}",
        name, shard, rank, fmt::join(row[shard].at, "+"), shard));
  }
  const std::string who = fmt::format("{}: what query rank {} adds to ", name, rank);
  const std::string missed = shards_with(row, Fate::missing);
  const std::string doubled = shards_with(row, Fate::doubled);
  const std::string wrong = shards_with(row, Fate::wrong);
  if (!missed.empty()) sentences.push_back(who + missed + " arrives nowhere");
  if (!doubled.empty()) sentences.push_back(who + doubled + " arrives twice");
  if (!wrong.empty()) sentences.push_back(who + wrong + " has a wrong value");
}

std::string sentences_text(const Sentences& sentences) {
  std::string text;
  for (size_t i = 0; i < std::min(sentences.size(), kMostSentences); ++i) {
    text += "  " + sentences[i] + "\n";
  }
  if (sentences.size() > kMostSentences) {
    text += fmt::format("  ({} more)\n", sentences.size() - kMostSentences);
  }
  return text;
}

}  // namespace

std::string forward_text(const ContributionMatrix& matrix) {
  Sentences sentences;
  for (size_t rank = 0; rank < matrix.size(); ++rank) {
    add_parts(matrix[rank], fmt::format("query rank {} ", rank), "sees", sentences);
  }
  return "out: which key shards each query rank's rows attended to\n" + contribution_table(matrix) +
         sentences_text(sentences);
}

std::string query_gradient_text(const ContributionMatrix& matrix) {
  Sentences sentences;
  for (size_t rank = 0; rank < matrix.size(); ++rank) {
    add_parts(matrix[rank], fmt::format("dQ of query rank {} ", rank), "has", sentences);
  }
  return "dQ: which key shards each query rank's gradient has a part of\n" +
         contribution_table(matrix) + sentences_text(sentences);
}

std::string gradient_text(const std::string& name, const ContributionMatrix& matrix) {
  Sentences sentences;
  for (size_t rank = 0; rank < matrix.size(); ++rank) {
    add_gradient(name, matrix[rank], rank, sentences);
  }
  return name + ": where each query rank's contribution to a key shard arrived\n" +
         contribution_table(matrix) + sentences_text(sentences);
}

}  // namespace attncheck
