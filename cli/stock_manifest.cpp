#include "plugin/manifest.h"

// The stock program knows what is built in. Somebody else's links attncheck::main with another one.
void attncheck::manifest(Additions& additions) {
  add_built_in(additions);
}
