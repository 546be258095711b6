#include "harness/html/failure_picture.h"

#include <algorithm>
#include <exception>
#include <future>

#include <fmt/format.h>

#include "harness/drive/judge.h"

namespace attncheck {
namespace {

void look(const Case& c, Lab& lab, FailurePicture& picture) {
  if (lab.kind(c) != SubjectKind::implementation) {
    picture.why_none = c.impl + " is no attention over a mesh";
    return;
  }
  const Support supported = lab.supports(c);
  if (!supported) {
    picture.why_none = c.impl + " does not support the case: " + supported.reason;
    return;
  }
  // The base run first: a rank that is lost there is not lost again in every other run.
  WatchedLab watched(lab, c);
  picture.errors = token_errors(c, watched);
  picture.provenance = explain(c, watched);
}

void fill(FailurePicture& picture, const Case& c, Lab& lab) {
  lab.hurry(true);
  try {
    look(c, lab, picture);
  } catch (const std::exception& error) {
    picture.why_none = fmt::format("it could not be run again: {}", error.what());
  }
  lab.hurry(false);
}

struct Wanted {
  size_t picture;  // position in the list
  Case case_;
};

// All pictures, with those still to be made: one for each case.
std::vector<FailurePicture> listed(const CheckReport& report, std::vector<Wanted>& wanted) {
  std::vector<FailurePicture> pictures;
  size_t position = 0;
  for (const StreamReport& stream : report.streams) {
    for (const PropertyResult& result : stream.results) {
      const size_t here = position++;
      const std::string word = result.word();
      if (word != "fail" && word != "known") continue;
      FailurePicture& picture = pictures.emplace_back();
      picture.result = here;
      const std::optional<Case> c = result.failing_case();
      const auto same = std::find_if(wanted.begin(), wanted.end(),
                                     [&c](const Wanted& other) { return c && other.case_ == *c; });
      if (!c) {
        picture.why_none = "it has no case";
      } else if (same != wanted.end()) {
        picture.same_as = same->picture;
      } else if (wanted.size() == kMostPictures) {
        picture.why_none = fmt::format("only the first {} cases have one", kMostPictures);
      } else {
        wanted.push_back({pictures.size() - 1, *c});
      }
    }
  }
  return pictures;
}

}  // namespace

std::vector<FailurePicture> failure_pictures(const CheckReport& report, Lanes& lanes) {
  std::vector<Wanted> wanted;
  std::vector<FailurePicture> pictures = listed(report, wanted);
  std::vector<std::future<void>> done;
  for (const Wanted& one : wanted) {
    done.push_back(lanes.post([&pictures, &one](LaneLab& lane) {
      fill(pictures[one.picture], one.case_, *lane.lab);
      lane.forget();
    }));
  }
  for (std::future<void>& one : done) one.wait();  // what one throws must not outrun the others
  for (std::future<void>& one : done) one.get();
  return pictures;
}

std::vector<FailurePicture> failure_pictures(const CheckReport& report, Lab& lab) {
  std::vector<Wanted> wanted;
  std::vector<FailurePicture> pictures = listed(report, wanted);
  for (const Wanted& one : wanted) fill(pictures[one.picture], one.case_, lab);
  return pictures;
}

}  // namespace attncheck
