#include <torch/version.h>

#include "plugin/data.h"

// A plug-in that must be refused for its data: any call of its init ends the process.

namespace {

void must_not_be_called(attncheck::Additions&) {
  __builtin_trap();
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const attncheck::Plugin attncheck_plugin;
const attncheck::Plugin attncheck_plugin{PLUGIN_ABI, PLUGIN_LAYOUT, PLUGIN_LIBTORCH, "wrong",
                                         must_not_be_called};
