#pragma once

#include <stdexcept>
#include <string>

namespace attncheck {

// A shared object that cannot be used: what() says why.
class NotLoaded : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A shared object that this process opened, by RTLD_LAZY | RTLD_LOCAL. It stays open to the end:
// what it brought is used until then.
class SharedObject {
 public:
  // Throws NotLoaded for a file that is none, and for one that the linker cannot place here.
  explicit SharedObject(const std::string& path);

  // The object's own symbol of that name, none of the libraries that it needs; nullptr when it has
  // none.
  const void* symbol(const char* name) const;
  // The name of a function that the object calls and nobody has; empty when there is none. Such a
  // call would end the process: a lazy binding is made when it is needed.
  std::string undefined_function() const;

 private:
  void* handle_;
};

}  // namespace attncheck
