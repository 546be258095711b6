#include "harness/scale/script.h"

namespace attncheck::scale {

double Script::flops() const {
  double all = 0;
  for (const Step& step : steps) all += step.flops;
  return all;
}

int64_t Script::received_bytes() const {
  int64_t bytes = 0;
  for (const Exchange& exchange : exchanges) {
    if (exchange.kind != Exchange::Kind::send) bytes += exchange.bytes;
  }
  return bytes;
}

}  // namespace attncheck::scale
