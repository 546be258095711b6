#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/drive/check_report.h"
#include "harness/drive/lanes.h"
#include "harness/drive/provenance.h"
#include "harness/drive/token_errors.h"

namespace attncheck {

// What a failure looks like. Of one that is no attention over a mesh, or that could not be run
// again, `why_none` says why there is nothing to see.
struct FailurePicture {
  size_t result = 0;  // its position among all results of the report, stream by stream
  std::optional<Provenance> provenance;
  std::vector<TokenErrors> errors;
  std::string why_none;
  std::optional<size_t> same_as;  // position in the list of one of the same case: see there
};

// Failures of more cases than so many are listed without a picture.
inline constexpr size_t kMostPictures = 64;

// Of every failure of the report, known ones as well, on its shrunk case.
std::vector<FailurePicture> failure_pictures(const CheckReport& report, Lanes& lanes);
std::vector<FailurePicture> failure_pictures(const CheckReport& report, Lab& lab);

}  // namespace attncheck
