#include "cli/plugin_flag.h"

#include <CLI/CLI.hpp>

namespace attncheck::cli {

void add_callables_flag(CLI::App& app, std::string& path) {
  for (const char* name : {"check", "replay", "explain", "promote", "bench", "list"}) {
    app.get_subcommand(name)
        ->add_option("--callables", path,
                     "Descriptions of callables, as python -m attncheck writes")
        ->group("");
  }
}

void add_plugins(CLI::App& app, std::vector<std::string>& paths) {
  for (const char* name :
       {"check", "replay", "explain", "mutants", "contracts", "promote", "bench", "list", "rank"}) {
    app.get_subcommand(name)
        ->add_option("--plugin", paths,
                     "A library with subjects and properties of your own; may be given again")
        ->allow_extra_args(false);
  }
}

}  // namespace attncheck::cli
