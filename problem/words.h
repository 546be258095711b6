#pragma once

#include <array>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace attncheck {

// The words of an enumeration, in the order of its values.
template <typename Enum, size_t N>
struct Words {
  std::array<const char*, N> words;

  const char* of(Enum value) const { return words.at(static_cast<size_t>(value)); }

  // Throws std::invalid_argument that lists the words.
  Enum parse(std::string_view text) const {
    for (size_t i = 0; i < N; ++i) {
      if (text == words[i]) return static_cast<Enum>(i);
    }
    throw std::invalid_argument("'" + std::string(text) + "' is none of " + list());
  }

  std::string list() const {
    std::string all;
    for (const char* word : words) all += (all.empty() ? "" : "|") + std::string(word);
    return all;
  }
};

}  // namespace attncheck
