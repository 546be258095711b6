#include "problem/case_text.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <vector>

#include "problem/case_keys.h"
#include "problem/enum_words.h"
#include "problem/suggestion.h"

namespace attncheck {
namespace {

struct Word {
  size_t column;  // 1-based
  std::string key, value;
};

std::vector<Word> split_words(const std::string& text) {
  static const char* const kBlanks = " \t\r\n";
  std::vector<Word> words;
  for (size_t begin = text.find_first_not_of(kBlanks); begin != std::string::npos;) {
    const size_t end = std::min(text.find_first_of(kBlanks, begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    const size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw CaseTextError(begin + 1, "'" + word + "' is not a key=value word");
    }
    words.push_back({begin + 1, word.substr(0, equals), word.substr(equals + 1)});
    begin = text.find_first_not_of(kBlanks, end);
  }
  return words;
}

std::vector<std::string> key_names() {
  std::vector<std::string> names;
  for (const CaseKey& key : case_keys()) names.push_back(key.name);
  return names;
}

void refuse_unknown_and_repeated(const std::vector<Word>& words) {
  const std::vector<std::string> names = key_names();
  std::set<std::string> seen;
  for (const Word& word : words) {
    if (std::find(names.begin(), names.end(), word.key) == names.end()) {
      throw CaseTextError(word.column,
                          "unknown key '" + word.key + "'" + suggestion(word.key, names));
    }
    if (!seen.insert(word.key).second) {
      throw CaseTextError(word.column, "key '" + word.key + "' is given twice");
    }
  }
}

size_t column_of(const std::vector<Word>& words, const std::string& key) {
  for (const Word& word : words) {
    if (word.key == key) return word.column;
  }
  return 1;
}

void refuse_inconsistent(const Case& c, const std::vector<Word>& words) {
  const Problem& p = c.problem;
  if (p.heads % p.kv_heads != 0) {
    throw CaseTextError(
        column_of(words, "hkv"),
        "hkv=" + std::to_string(p.kv_heads) + " does not divide h=" + std::to_string(p.heads));
  }
  if (!p.shards.empty() && static_cast<int>(p.shards.size()) != c.mesh.world()) {
    throw CaseTextError(column_of(words, "shards"),
                        "shards= has " + std::to_string(p.shards.size()) + " lengths, mesh " +
                            to_text(c.mesh) + " has " + std::to_string(c.mesh.world()) + " ranks");
  }
  if (p.joint.tokens >= std::min(p.q_len, p.kv_len)) {
    throw CaseTextError(column_of(words, "joint"),
                        "joint= has " + std::to_string(p.joint.tokens) +
                            " tokens, which leaves none of q=" + std::to_string(p.q_len) +
                            " or of kv=" + std::to_string(p.kv_len) + " to be sharded");
  }
  if (!documents_fit(p)) {
    const int64_t sum = std::accumulate(p.documents.begin(), p.documents.end(), int64_t{0});
    throw CaseTextError(column_of(words, "documents"),
                        "documents= adds up to " + std::to_string(sum) + ", expected q=" +
                            std::to_string(p.q_len) + " and kv=" + std::to_string(p.kv_len));
  }
}

size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t change = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, change});
    }
  }
  return row[b.size()];
}

// What each key prints for a case that has only what is given so far: a key that prints the same is
// left out.
Case with_defaults_of(const Case& c) {
  Case defaults;
  defaults.problem.kv_len = c.problem.q_len;
  defaults.problem.kv_heads = c.problem.heads;
  defaults.problem.v_head_dim = c.problem.head_dim;
  return defaults;
}

}  // namespace

CaseTextError::CaseTextError(size_t column, const std::string& message)
    : std::invalid_argument("column " + std::to_string(column) + ": " + message), column_(column) {}

std::string to_text(const Case& c) {
  const Case defaults = with_defaults_of(c);
  std::string text;
  for (const CaseKey& key : case_keys()) {
    const std::string value = key.get(c);
    if (!key.required && value == key.get(defaults)) continue;
    text += (text.empty() ? "" : " ") + key.name + "=" + value;
  }
  return text;
}

Case parse_case(const std::string& text) {
  const std::vector<Word> words = split_words(text);
  refuse_unknown_and_repeated(words);
  Case c;
  for (const CaseKey& key : case_keys()) {
    const auto word =
        std::find_if(words.begin(), words.end(), [&](const Word& w) { return w.key == key.name; });
    if (word == words.end()) {
      if (key.required) throw CaseTextError(text.size() + 1, "key '" + key.name + "' is missing");
      continue;
    }
    try {
      key.set(c, word->value);
    } catch (const std::invalid_argument& error) {
      throw CaseTextError(word->column, key.name + "=: " + error.what());
    }
  }
  refuse_inconsistent(c, words);
  return c;
}

const char* to_text(DType value) {
  return kDTypeWords.of(value);
}
const char* to_text(Align value) {
  return kAlignWords.of(value);
}
const char* to_text(Mask value) {
  return kMaskWords.of(value);
}
const char* to_text(Layout value) {
  return kLayoutWords.of(value);
}
const char* to_text(Data value) {
  return kDataWords.of(value);
}
const char* to_text(View value) {
  return kViewWords.of(value);
}
const char* to_text(Rotate value) {
  return kRotateWords.of(value);
}
const char* to_text(MeshOrder value) {
  return kMeshOrderWords.of(value);
}

std::string to_text(const GradSet& grad) {
  const std::string text =
      std::string(grad.q ? "q" : "") + (grad.k ? "k" : "") + (grad.v ? "v" : "");
  return text.empty() ? "none" : text;
}

DType parse_dtype(const std::string& word) {
  return kDTypeWords.parse(word);
}

std::string nearest_name(const std::string& word, const std::vector<std::string>& names) {
  std::string nearest;
  size_t least = std::max<size_t>(1, word.size() / 2) + 1;
  for (const std::string& name : names) {
    const size_t distance = edit_distance(word, name);
    if (distance < least) {
      least = distance;
      nearest = name;
    }
  }
  return nearest;
}

}  // namespace attncheck
