#pragma once

#include <string>
#include <vector>

#include "problem/case.h"

namespace attncheck {

// A failure of an earlier run: its property is tried on its case first.
struct RememberedCase {
  std::string property;
  Case case_;
};

// A folder of failures, a file each: one line, `property | case text`. Files of runs side by side
// do not disturb each other: a file is named by what it holds and appears as a whole.
class Corpus {
 public:
  explicit Corpus(std::string folder) : folder_(std::move(folder)) {}

  // In the order of the files' names; empty where there is no folder. Throws std::invalid_argument,
  // which names the file, for one that holds no such line, and for a folder that cannot be read.
  std::vector<RememberedCase> load() const;
  // Makes the folder with its first file. Throws std::runtime_error when it cannot be written.
  void remember(const RememberedCase& failure) const;

  const std::string& folder() const { return folder_; }

 private:
  std::string folder_;
};

}  // namespace attncheck
