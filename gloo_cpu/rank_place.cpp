#include "gloo_cpu/rank_place.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>

#include <c10/util/Exception.h>
#include <unistd.h>

namespace attncheck::gloo_cpu {
namespace {

constexpr const char* kRank = "ATTNCHECK_RANK";
constexpr const char* kWorld = "ATTNCHECK_WORLD";
constexpr const char* kSocket = "ATTNCHECK_FD";
constexpr const char* kStore = "ATTNCHECK_STORE";
constexpr const char* kGroupTimeout = "ATTNCHECK_GROUP_TIMEOUT_MS";
constexpr const char* kTransport = "ATTNCHECK_TRANSPORT";
constexpr const char* kDevice = "ATTNCHECK_DEVICE";
constexpr const char* kLocal = "ATTNCHECK_LOCAL";
constexpr const char* kNetwork = "ATTNCHECK_NETWORK";
constexpr const char* kSharedWord = "ATTNCHECK_SHARED_WORD";
constexpr const char* kAll[] = {kRank,      kWorld,  kSocket, kStore,   kGroupTimeout,
                                kTransport, kDevice, kLocal,  kNetwork, kSharedWord};

std::string text_of(const char* name) {
  const char* value = std::getenv(name);
  TORCH_CHECK(value != nullptr, "a rank process needs ", name, " in its environment");
  return value;
}

int number_in(const char* name, const std::string& text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  TORCH_CHECK(error == std::errc() && end == text.data() + text.size(), name,
              " must be a number but is '", text, "'");
  return value;
}

int number_of(const char* name) {
  return number_in(name, text_of(name));
}

bool is_place_entry(std::string_view entry) {
  return std::any_of(std::begin(kAll), std::end(kAll), [&](std::string_view name) {
    return entry.starts_with(name) && entry.substr(name.size()).starts_with('=');
  });
}

}  // namespace

bool is_rank_process() {
  return std::getenv(kRank) != nullptr;
}

std::string rank_transport() {
  return text_of(kTransport);
}

RankPlace take_rank_place() {
  RankPlace place;
  place.rank = number_of(kRank);
  place.world = number_of(kWorld);
  place.socket = number_of(kSocket);
  place.store = text_of(kStore);
  place.transport = text_of(kTransport);
  place.device = text_of(kDevice);
  place.network = text_of(kNetwork);
  const std::string local = text_of(kLocal);
  const size_t slash = std::min(local.find('/'), local.size());
  place.local_rank = number_in(kLocal, local.substr(0, slash));
  place.local_world = number_in(kLocal, local.substr(std::min(slash + 1, local.size())));
  place.group_timeout = std::chrono::milliseconds(number_of(kGroupTimeout));
  place.shared_word = number_of(kSharedWord);
  for (const char* name : kAll) ::unsetenv(name);
  return place;
}

std::vector<std::string> environment_of(const RankPlace& place) {
  std::vector<std::string> entries;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    if (!is_place_entry(*entry)) entries.emplace_back(*entry);
  }
  const auto add = [&](const char* name, const std::string& value) {
    entries.push_back(std::string(name) + "=" + value);
  };
  add(kRank, std::to_string(place.rank));
  add(kWorld, std::to_string(place.world));
  add(kSocket, std::to_string(place.socket));
  add(kStore, place.store);
  add(kTransport, place.transport);
  add(kDevice, place.device);
  add(kLocal, std::to_string(place.local_rank) + "/" + std::to_string(place.local_world));
  add(kNetwork, place.network);
  add(kGroupTimeout, std::to_string(place.group_timeout.count()));
  add(kSharedWord, std::to_string(place.shared_word));
  return entries;
}

}  // namespace attncheck::gloo_cpu
