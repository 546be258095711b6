#include "harness/drive/expectations.h"

#include <algorithm>
#include <sstream>

#include <fmt/format.h>

#include "problem/case_keys.h"
#include "problem/case_text.h"
#include "problem/suggestion.h"

namespace attncheck {
namespace {

constexpr const char* kForm = "expected: property | key=value words of the case | reason";

std::string trimmed(const std::string& text) {
  const size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

[[noreturn]] void refuse(int line, const std::string& message) {
  throw ExpectationError(fmt::format("line {}: {}", line, message));
}

const CaseKey& key_named(const std::string& name, int line) {
  std::vector<std::string> names;
  for (const CaseKey& key : case_keys()) {
    if (key.name == name) return key;
    names.push_back(key.name);
  }
  refuse(line, "unknown key '" + name + "'" + suggestion(name, names));
}

// The value as a case prints it: "0.50" and "0.5" are one scale.
std::string printed(const CaseKey& key, const std::string& value, int line) {
  Case c;
  try {
    key.set(c, value);
  } catch (const std::invalid_argument& error) {
    refuse(line, key.name + "=" + value + ": " + error.what());
  }
  return key.get(c);
}

std::map<std::string, std::string> values_of(const std::string& words, int line) {
  std::map<std::string, std::string> values;
  std::istringstream stream(words);
  for (std::string word; stream >> word;) {
    const size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0) {
      refuse(line, "'" + word + "' is not a key=value word; " + kForm);
    }
    const CaseKey& key = key_named(word.substr(0, equals), line);
    const std::string value = printed(key, word.substr(equals + 1), line);
    if (!values.emplace(key.name, value).second) {
      refuse(line, "key '" + key.name + "' is given twice");
    }
  }
  return values;
}

std::optional<Case> whole_case(const std::string& words) {
  try {
    return parse_case(words);
  } catch (const CaseTextError&) {
    return std::nullopt;  // words that many cases have
  }
}

void require_property(const std::string& name, const std::vector<std::string>& names, int line) {
  if (std::find(names.begin(), names.end(), name) != names.end()) return;
  refuse(line, "unknown property '" + name + "'" + suggestion(name, names));
}

Expectation parse_line(const std::string& text, int line,
                       const std::vector<std::string>& properties) {
  const size_t first = text.find('|');
  const size_t second = first == std::string::npos ? first : text.find('|', first + 1);
  if (second == std::string::npos) refuse(line, std::string("too few '|'; ") + kForm);
  Expectation expectation;
  expectation.line = line;
  expectation.property = trimmed(text.substr(0, first));
  expectation.words = trimmed(text.substr(first + 1, second - first - 1));
  expectation.reason = trimmed(text.substr(second + 1));
  if (expectation.reason.empty()) refuse(line, std::string("no reason is given; ") + kForm);
  if (expectation.words.empty()) {
    refuse(line, std::string("no words are given, which every case would have; ") + kForm);
  }
  require_property(expectation.property, properties, line);
  expectation.values = values_of(expectation.words, line);
  expectation.case_ = whole_case(expectation.words);
  return expectation;
}

}  // namespace

bool Expectation::matches(const std::string& of, const Case& c) const {
  if (of != property) return false;
  return std::all_of(case_keys().begin(), case_keys().end(), [&](const CaseKey& key) {
    const auto wanted = values.find(key.name);
    return wanted == values.end() || key.get(c) == wanted->second;
  });
}

std::vector<Expectation> parse_expectations(const std::string& text,
                                            const std::vector<std::string>& properties) {
  std::vector<Expectation> expectations;
  std::istringstream lines(text);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const std::string content = trimmed(line);
    if (content.empty() || content[0] == '#') continue;
    expectations.push_back(parse_line(content, number, properties));
  }
  return expectations;
}

}  // namespace attncheck
