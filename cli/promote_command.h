#pragma once

#include <functional>
#include <string>

namespace CLI {
class App;
}

namespace attncheck::cli {

struct PromoteArguments {
  std::string failure;  // a file of a corpus, or "property | case"
  std::string to;       // a folder
  std::string shows;    // one line
  bool mended = false;  // it failed once, and holds now
};

// Judges the failure again and writes it into the folder, for good, under a name that says what it
// is. Returns the exit code: 1 for one that was said to be mended and fails, 3 for one that could
// not be judged. Throws UsageError for one that holds and was not said to be mended, and for a file
// that is there already.
int promote_command(const PromoteArguments& arguments);

// Adds the command and its flags; `command` is set when it is the one that was asked for.
void add_promote(CLI::App& app, PromoteArguments& arguments, std::function<int()>& command);

}  // namespace attncheck::cli
