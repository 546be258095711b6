#pragma once

#include <torch/version.h>

#include "plugin/additions.h"
#include "plugin/data.h"
#include "plugin/layout.h"

// Once in a plug-in, outside of any namespace:
//   ATTNCHECK_PLUGIN("name", [](attncheck::Additions& additions) { ... });
#define ATTNCHECK_PLUGIN(NAME, ...)                                                           \
  extern "C" __attribute__((visibility("default"))) const attncheck::Plugin attncheck_plugin; \
  const attncheck::Plugin attncheck_plugin {                                                  \
    attncheck::kPluginAbi, attncheck::kPluginLayout, TORCH_VERSION, NAME, __VA_ARGS__         \
  }
