#include "cli/check_flags.h"

#include <CLI/CLI.hpp>

#include "cli/flags.h"

namespace attncheck::cli {

void add_memory(CLI::App* check, CheckArguments& a) {
  add_path(check, "--expect", a.expect, "A file of known failures: property | words | reason");
  check
      ->add_option("--corpus", a.corpora,
                   "Folders of failures, tried first; new ones go into the last; or none")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->capture_default_str();
  add_path(check, "--closest", a.closest,
           "A file of closest calls: cases are drawn near them, and those of this run are added");
  check
      ->add_option("--steer", a.steer,
                   "Percent of the cases that are drawn near the closest calls so far")
      ->check(CLI::Range(int64_t{0}, int64_t{100}))
      ->capture_default_str();
  add_path(check, "--json", a.json, "Write the report to this file as well");
  add_path(check, "--junit", a.junit, "Write the report to this file as JUnit's XML");
  add_path(check, "--html", a.html, "Write the report to this file as a page with pictures");
}

}  // namespace attncheck::cli
