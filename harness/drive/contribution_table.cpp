#include "harness/drive/contribution_table.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace attncheck {
namespace {

using Fate = Contribution::Fate;

constexpr size_t kCellWidth = 7;
constexpr size_t kMostWords = 10;  // (100 - the row's name) / kCellWidth, and room to spare
constexpr size_t kMostCharacters = 80;
constexpr size_t kMark = 10;  // a number over every tenth character

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
      return fmt::format("->{}", fmt::join(contribution.at, "+"));
    case Fate::wrong:
      return "wrong";
  }
  return "";
}

char cell_character(const Contribution& contribution) {
  switch (contribution.fate) {
    case Fate::none:
      return '.';
    case Fate::ok:
      return 'o';
    case Fate::missing:
      return '-';
    case Fate::doubled:
      return '2';
    case Fate::delivered:
      return '>';
    case Fate::wrong:
      return '!';
  }
  return ' ';
}

std::string words_header(size_t world) {
  std::string text;
  for (size_t shard = 0; shard < world; ++shard) text += fmt::format("{:>{}}", shard, kCellWidth);
  return text;
}

std::string words_of(const std::vector<Contribution>& row) {
  std::string text;
  for (const Contribution& cell : row) text += fmt::format("{:>{}}", cell_text(cell), kCellWidth);
  return text;
}

std::string map_header(size_t world) {
  std::string text = " ";
  for (size_t shard = 0; shard < std::min(world, kMostCharacters); shard += kMark) {
    text += fmt::format("{:<{}}", shard, kMark);
  }
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

std::string map_of(const std::vector<Contribution>& row) {
  std::string text = " ";
  for (size_t shard = 0; shard < std::min(row.size(), kMostCharacters); ++shard) {
    text += cell_character(row[shard]);
  }
  return text;
}

}  // namespace

std::string contribution_table(const ContributionMatrix& matrix) {
  const size_t world = matrix.size();
  const bool words = world <= kMostWords;
  std::string text =
      fmt::format("  {:<14}{}\n", "key shard:", words ? words_header(world) : map_header(world));
  for (size_t rank = 0; rank < world; ++rank) {
    text += fmt::format("  query rank {:<3}{}\n", rank,
                        words ? words_of(matrix[rank]) : map_of(matrix[rank]));
  }
  if (world > kMostCharacters) {
    text += fmt::format("  ({} more key shards are not shown)\n", world - kMostCharacters);
  }
  return text;
}

std::string contribution_legend(size_t world) {
  if (world <= kMostWords) {
    return "  ok: once, at its owner   .: none expected   miss: nowhere   x2: twice at its owner\n"
           "  ->N: at rank N instead of its owner   wrong: no sum of contributions\n";
  }
  return "  o: once, at its owner   .: none expected   -: nowhere   2: twice at its owner\n"
         "  >: at another rank than its owner   !: no sum of contributions\n";
}

}  // namespace attncheck
