#include "plugin/data.h"

extern "C" __attribute__((visibility("default"))) const attncheck::Plugin attncheck_plugin;
const attncheck::Plugin attncheck_plugin{attncheck::kPluginAbi + 1, 0, "none", "other_abi",
                                         nullptr};
