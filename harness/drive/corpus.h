#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "problem/case.h"

namespace attncheck {

// A failure of an earlier run: its property is tried on its case first.
struct RememberedCase {
  std::string property;
  Case case_;
  std::string shows = {};  // what it once showed, one line; "" where nobody said
};

// "property | case text", the form in which people write one. Throws std::invalid_argument for text
// that is none.
RememberedCase parse_remembered(const std::string& text);
std::string to_text(const RememberedCase& remembered);

// A file of a corpus: that line, beside empty lines and comments; "# shows: ..." is one of these.
// Throws std::invalid_argument, which names the file.
RememberedCase read_remembered(const std::filesystem::path& path);

// A folder of failures, a file each. Files of runs side by side do not disturb each other: a file
// is named by what it holds and appears as a whole.
class Corpus {
 public:
  explicit Corpus(std::string folder) : folder_(std::move(folder)) {}

  // In the order of the files' names; empty where there is no folder. Throws std::invalid_argument,
  // which names the file, for one that cannot be read, and for such a folder.
  std::vector<RememberedCase> load() const;
  // Makes the folder with its first file. Throws std::runtime_error when it cannot be written.
  void remember(const RememberedCase& failure) const;
  // Keeps it for good, under a name that says property and case, and returns the file's path.
  // Throws std::runtime_error where there is such a file already: that one stays as it is.
  std::string promote(const RememberedCase& failure) const;

  const std::string& folder() const { return folder_; }

 private:
  std::string folder_;
};

}  // namespace attncheck
