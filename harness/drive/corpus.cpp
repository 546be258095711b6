#include "harness/drive/corpus.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include <fmt/format.h>
#include <unistd.h>

#include "problem/case_text.h"
#include "problem/fnv1a.h"

namespace attncheck {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSuffix = ".case";
constexpr const char* kBar = " | ";

RememberedCase read(const fs::path& path) {
  std::error_code none;
  std::ifstream file;
  if (fs::is_regular_file(path, none)) file.open(path);
  std::string line;
  if (file.is_open()) std::getline(file, line);
  const size_t bar = line.find(kBar);
  if (bar == std::string::npos) {
    throw std::invalid_argument(path.string() + ": expected one line 'property | case'");
  }
  try {
    return {line.substr(0, bar), parse_case(line.substr(bar + std::strlen(kBar)))};
  } catch (const CaseTextError& error) {
    throw std::invalid_argument(path.string() + ": the case is malformed, " + error.what());
  }
}

// Under another name first, so that nobody reads half of it.
void write_whole(const fs::path& path, const std::string& text) {
  const fs::path unfinished = path.string() + fmt::format(".{}.tmp", ::getpid());
  std::ofstream file(unfinished);
  file << text;
  file.close();
  std::error_code error;
  if (file) fs::rename(unfinished, path, error);
  if (file && !error) return;
  const std::string why = error ? error.message() : std::strerror(errno);
  fs::remove(unfinished, error);
  throw std::runtime_error("cannot write '" + path.string() + "': " + why);
}

}  // namespace

std::vector<RememberedCase> Corpus::load() const {
  std::vector<fs::path> paths;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_, error)) {
    if (entry.path().extension() == kSuffix) paths.push_back(entry.path());
  }
  if (error && error != std::errc::no_such_file_or_directory) {
    throw std::invalid_argument("cannot read the folder '" + folder_ + "': " + error.message());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<RememberedCase> remembered;
  for (const fs::path& path : paths) remembered.push_back(read(path));
  return remembered;
}

void Corpus::remember(const RememberedCase& failure) const {
  std::error_code error;
  fs::create_directories(folder_, error);
  const std::string line = failure.property + kBar + to_text(failure.case_);
  const std::string name = fmt::format("{}-{:016x}{}", failure.property, fnv1a(line), kSuffix);
  write_whole(fs::path(folder_) / name, line + "\n");
}

}  // namespace attncheck
