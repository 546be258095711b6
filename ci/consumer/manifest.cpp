#include "plugin/manifest.h"

#include "impl/backends/math.h"
#include "impl/ring/ring_attention.h"

// A program that knows one implementation, one backend, and every property.
void attncheck::manifest(Additions& additions) {
  additions.implementations = {ring_implementation()};
  additions.backends = {math_backend()};
  additions.properties = all_properties();
}
