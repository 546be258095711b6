#pragma once

namespace attncheck::cli {

const char* attncheck_version();
const char* libtorch_version();  // that this program was built with

}  // namespace attncheck::cli
