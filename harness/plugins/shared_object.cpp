#include "harness/plugins/shared_object.h"

#include <cstddef>
#include <cstdint>

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

namespace attncheck {
namespace {

// What dlerror() says, without the path that it begins with.
std::string loader_error(const std::string& path) {
  const char* said = ::dlerror();
  const std::string text = said == nullptr ? "the loader does not say why" : said;
  return text.starts_with(path + ": ") ? text.substr(path.size() + 2) : text;
}

const link_map* map_of(void* handle) {
  link_map* map = nullptr;
  return ::dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 ? map : nullptr;
}

// The tables that the dynamic linker works with. glibc has relocated their addresses.
struct DynamicTables {
  explicit DynamicTables(const link_map& map) {
    for (const ElfW(Dyn)* entry = map.l_ld; entry->d_tag != DT_NULL; ++entry) {
      const auto* at = reinterpret_cast<const char*>(entry->d_un.d_ptr);
      if (entry->d_tag == DT_SYMTAB) symbols = reinterpret_cast<const ElfW(Sym)*>(at);
      if (entry->d_tag == DT_STRTAB) names = at;
      if (entry->d_tag == DT_JMPREL) calls = reinterpret_cast<const ElfW(Rela)*>(at);
      if (entry->d_tag == DT_PLTRELSZ) count = entry->d_un.d_val / sizeof(ElfW(Rela));
    }
  }

  const ElfW(Sym) * symbols = nullptr;
  const char* names = nullptr;
  const ElfW(Rela) * calls = nullptr;  // those that are bound when they are first made
  std::size_t count = 0;
};

// The upper half on 64-bit machines, which LibTorch's are.
std::size_t symbol_of(const ElfW(Rela) & call) {
  return static_cast<std::size_t>(ELF64_R_SYM(call.r_info));
}

}  // namespace

SharedObject::SharedObject(const std::string& path)
    : handle_(::dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL)) {
  if (handle_ == nullptr) throw NotLoaded(loader_error(path));
}

const void* SharedObject::symbol(const char* name) const {
  void* found = ::dlsym(handle_, name);
  Dl_info info;
  link_map* owner = nullptr;
  if (found == nullptr) return nullptr;
  const int known = ::dladdr1(found, &info, reinterpret_cast<void**>(&owner), RTLD_DL_LINKMAP);
  return known != 0 && owner == map_of(handle_) ? found : nullptr;
}

std::string SharedObject::undefined_function() const {
  const link_map* map = map_of(handle_);
  if (map == nullptr) return "";
  const DynamicTables tables(*map);
  for (std::size_t i = 0; i < tables.count; ++i) {
    const ElfW(Sym)& symbol = tables.symbols[symbol_of(tables.calls[i])];
    const char* name = tables.names + symbol.st_name;
    const bool weak = ELF64_ST_BIND(symbol.st_info) == STB_WEAK;
    if (symbol.st_shndx != SHN_UNDEF || weak || *name == '\0') continue;
    if (::dlsym(RTLD_DEFAULT, name) == nullptr && ::dlsym(handle_, name) == nullptr) return name;
  }
  return "";
}

}  // namespace attncheck
