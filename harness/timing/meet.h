#pragma once

#include <c10/core/Device.h>

namespace c10d {
class ProcessGroup;
}

namespace attncheck::timing {

// All ranks of the group, with nothing left to do: the sum is there on the host, so the device is
// idle. Throws where others came than the group's ranks.
void meet(c10d::ProcessGroup& group, c10::Device device);

}  // namespace attncheck::timing
