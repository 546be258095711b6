#include "harness/drive/corpus.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
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
constexpr const char* kShows = "# shows: ";
constexpr size_t kLongestName = 200;  // file systems take 255 bytes

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

// Only where there is none.
void write_new(const fs::path& path, const std::string& text) {
  std::FILE* file = std::fopen(path.c_str(), "wx");
  if (file == nullptr && errno == EEXIST) {
    throw std::runtime_error("there is a file '" + path.string() + "' already");
  }
  bool written = file != nullptr && std::fputs(text.c_str(), file) >= 0;
  if (file != nullptr) written = std::fclose(file) == 0 && written;
  if (!written) {
    throw std::runtime_error("cannot write '" + path.string() + "': " + std::strerror(errno));
  }
}

std::string file_text(const RememberedCase& failure) {
  const std::string comment = failure.shows.empty() ? "" : kShows + failure.shows + "\n";
  return comment + to_text(failure) + "\n";
}

// Letters that no file system and no shell minds.
std::string readable_name(const RememberedCase& failure) {
  std::string name = failure.property + "." + to_text(failure.case_);
  std::replace(name.begin(), name.end(), ' ', '.');
  const auto minds = [](unsigned char letter) {
    return std::isalnum(letter) == 0 && letter != '.' && letter != '_' && letter != '-';
  };
  std::replace_if(name.begin(), name.end(), minds, '-');
  if (name.size() <= kLongestName) return name + kSuffix;
  return fmt::format("{}.{:016x}{}", name.substr(0, kLongestName), fnv1a(name), kSuffix);
}

}  // namespace

RememberedCase parse_remembered(const std::string& text) {
  const size_t bar = text.find(kBar);
  if (bar == std::string::npos) {
    throw std::invalid_argument("expected one line 'property | case', got '" + text + "'");
  }
  try {
    return {text.substr(0, bar), parse_case(text.substr(bar + std::strlen(kBar)))};
  } catch (const CaseTextError& error) {
    throw std::invalid_argument(std::string("the case is malformed, ") + error.what());
  }
}

std::string to_text(const RememberedCase& remembered) {
  return remembered.property + kBar + to_text(remembered.case_);
}

RememberedCase read_remembered(const fs::path& path) {
  std::error_code none;
  std::ifstream file;
  if (fs::is_regular_file(path, none)) file.open(path);
  std::string failure, shows;
  int lines = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(kShows)) shows = line.substr(std::strlen(kShows));
    if (line.empty() || line.starts_with('#')) continue;
    failure = line;
    ++lines;
  }
  if (lines != 1) {
    throw std::invalid_argument(fmt::format(
        "{}: expected one line 'property | case' beside comments, got {}", path.string(), lines));
  }
  try {
    RememberedCase remembered = parse_remembered(failure);
    remembered.shows = shows;
    return remembered;
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(path.string() + ": " + error.what());
  }
}

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
  for (const fs::path& path : paths) remembered.push_back(read_remembered(path));
  return remembered;
}

void Corpus::remember(const RememberedCase& failure) const {
  std::error_code error;
  fs::create_directories(folder_, error);
  const uint64_t hash = fnv1a(to_text(failure));
  const std::string name = fmt::format("{}-{:016x}{}", failure.property, hash, kSuffix);
  write_whole(fs::path(folder_) / name, file_text(failure));
}

std::string Corpus::promote(const RememberedCase& failure) const {
  std::error_code error;
  fs::create_directories(folder_, error);
  const fs::path path = fs::path(folder_) / readable_name(failure);
  write_new(path, file_text(failure));
  return path.string();
}

}  // namespace attncheck
