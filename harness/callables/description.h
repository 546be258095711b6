#pragma once

#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace attncheck {

// What is known of a callable of another language without calling it: its name as a case has it
// ("package.module:attention"), and the keywords that it takes (keywords.h).
struct CallableDescription {
  std::string name;
  std::set<std::string> takes;

  bool has(const std::string& keyword) const { return takes.count(keyword) > 0; }
};

// The callables of one run, and how processes are started that can call them.
struct CallableDescriptions {
  std::vector<std::string> rank_command;        // as RankCommand has it
  std::string program = "attncheck";            // what a line that runs a case again begins with
  std::map<std::string, std::string> packages;  // that they come from, and their versions
  std::vector<CallableDescription> implementations, backends;
};

// A file of descriptions that cannot be used: what() is one line that says why.
class BadDescriptions : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

// {"rank_command": ["python3", ...], "program": "python -m attncheck",
//  "packages": {"torch": "2.11.0", ...},  -- may be left out
//  "implementations": [{"name": "package.module:attention", "takes": ["scale", ...]}],
//  "backends": [...]}. Throws BadDescriptions.
CallableDescriptions descriptions_in(const std::string& path);
// The same of a file's text.
CallableDescriptions parse_descriptions(const std::string& text);

}  // namespace attncheck
