#pragma once

namespace attncheck {

// What kinds of subject there are (DESIGN section 1); a property speaks of one or more.
enum class SubjectKind { implementation, local, collective, merge, model };

}  // namespace attncheck
