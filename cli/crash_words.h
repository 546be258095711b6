#pragma once

namespace attncheck::cli {

// From here on a fault of code that this process asks, outside of any rank, is one line on stderr,
// which says what was asked, before the signal ends the process as it would have. In the thread
// that calls it, an overflow of the stack as well.
void name_crashes();

}  // namespace attncheck::cli
