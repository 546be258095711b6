#pragma once

#include <functional>
#include <memory>

#include "harness/drive/lanes.h"
#include "harness/drive/stream_spec.h"
#include "properties/property.h"
#include "tests/properties/oracle_lab.h"

namespace attncheck {

// A stream of a subject that every OracleLab has, on two meshes.
inline StreamSpec small_spec() {
  StreamSpec spec;
  spec.impl = "subject";
  spec.meshes = {{1, 1}, {2, 1}};
  return spec;
}

// A property by what it says of a case.
inline Property property_named(const char* name, std::function<Verdict(const Case&)> says) {
  Property property;
  property.name = name;
  property.applies = [](const Case&) { return Support::yes(); };
  property.check = [says](const Case& c, Lab&) { return says(c); };
  return property;
}

inline Property holding(const char* name) {
  return property_named(name, [](const Case&) { return Verdict::pass(); });
}

// What held, and used so much of its bound.
inline Verdict near_bound(double share) {
  Evidence evidence;
  evidence.error = share;
  evidence.bound = 1;
  return Verdict::pass(std::move(evidence));
}

// One lane whose lab is the test's.
inline LaneLab lane_on(Lab& lab) {
  LaneLab lane;
  lane.lab = std::shared_ptr<Lab>(std::shared_ptr<Lab>(), &lab);
  return lane;
}

}  // namespace attncheck
