#include "plugin/data.h"

extern "C" __attribute__((visibility("default"))) const attncheck::Plugin attncheck_plugin;
const attncheck::Plugin attncheck_plugin{attncheck::kPluginAbi, 0, "1.13.1", "other_libtorch",
                                         nullptr};
