#pragma once

namespace attncheck::cli {

// Code under test that runs in this process may call exit(0), which must not look like a check that
// held. From here on this process then ends with kNotChecked (usage.h), and says why, unless the
// end was reached before. What is registered last runs first: again once most statics are there,
// whose destructors would pull the ground from under threads that still run.
void guard_the_exit();
void ranks_run_here();  // some at least: what is said then speaks of --isolate
void reach_the_end();

}  // namespace attncheck::cli
