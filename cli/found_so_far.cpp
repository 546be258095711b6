#include "cli/found_so_far.h"

#include <algorithm>
#include <utility>

#include "cli/interrupt.h"
#include "harness/drive/report_text.h"

namespace attncheck::cli {

FoundSoFar::FoundSoFar(std::function<void(const RememberedCase&)> remember)
    : remember_(std::move(remember)) {
  say_when_interrupted([this] { return last_words(); });
}

FoundSoFar::~FoundSoFar() {
  say_when_interrupted(nullptr);
}

void FoundSoFar::enter(const StreamSpec& stream, const PropertyResult& failure) {
  const std::string name = stream_name(stream);
  const std::lock_guard lock(mutex_);
  auto known = std::find_if(all_.begin(), all_.end(), [&](const Found& found) {
    return found.stream == name && found.failure.property == failure.property;
  });
  if (known == all_.end()) known = all_.insert(known, Found{name, {}});
  known->failure = failure;
}

// For good: what comes after the signal is nothing to tell of.
std::string FoundSoFar::last_words() {
  mutex_.lock();
  std::string text;
  for (const Found& found : all_) {
    text += failure_text(found.stream, found.failure) + "\n";
    if (found.failure.case_) remember_({found.failure.property, *found.failure.case_});
  }
  return text;
}

}  // namespace attncheck::cli
