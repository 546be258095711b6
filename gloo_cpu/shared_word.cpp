#include "gloo_cpu/shared_word.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include <c10/util/Exception.h>
#include <fcntl.h>
#include <sys/mman.h>

namespace attncheck::gloo_cpu {
namespace {

UniqueFd new_file() {
  UniqueFd file(::memfd_create("attncheck-shared-word", MFD_CLOEXEC));
  TORCH_CHECK(file.open() && ::ftruncate(file.get(), sizeof(std::atomic<int>)) == 0,
              "no memory to share with ranks: ", std::strerror(errno));
  return file;
}

}  // namespace

SharedWord::SharedWord() : SharedWord(new_file()) {}

SharedWord::SharedWord(int descriptor) : SharedWord(UniqueFd(descriptor)) {
  ::fcntl(descriptor, F_SETFD, FD_CLOEXEC);  // what the child starts has no part in it
}

SharedWord::SharedWord(UniqueFd file) : file_(std::move(file)) {
  void* memory =
      ::mmap(nullptr, sizeof(std::atomic<int>), PROT_READ | PROT_WRITE, MAP_SHARED, file_.get(), 0);
  TORCH_CHECK(memory != MAP_FAILED, "descriptor ", file_.get(),
              " is no memory to share: ", std::strerror(errno));
  value_ = static_cast<std::atomic<int>*>(memory);
}

SharedWord::~SharedWord() {
  ::munmap(value_, sizeof(std::atomic<int>));
}

}  // namespace attncheck::gloo_cpu
