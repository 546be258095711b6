#pragma once

namespace attncheck {

// Code of a rank that starts a process and forgets it: one that stays in the rank's group, or one
// that is in a session of its own and nobody's child. Returns once it is there.
void leave_a_process(bool in_a_session_of_its_own);

// How many of these are alive that ranks of this process left.
int processes_left();

}  // namespace attncheck
