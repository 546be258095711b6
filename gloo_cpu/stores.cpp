#include "gloo_cpu/stores.h"

#include <c10/util/Exception.h>
#include <torch/csrc/distributed/c10d/FileStore.hpp>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

namespace attncheck::gloo_cpu {
namespace {

constexpr int kNobodyRemovesTheFile = -1;  // the number of workers after which FileStore would
constexpr const char* kTcp = "tcp://";

c10::intrusive_ptr<c10d::Store> tcp_store(const std::string& host, int port, bool keeps,
                                          std::chrono::milliseconds timeout) {
  c10d::TCPStoreOptions options;
  options.port = static_cast<std::uint16_t>(port);
  options.isServer = keeps;
  options.waitWorkers = false;
  options.timeout = timeout;
  return c10::make_intrusive<c10d::TCPStore>(host, options);
}

}  // namespace

c10::intrusive_ptr<c10d::Store> open_store(const std::string& address,
                                           std::chrono::milliseconds timeout) {
  c10::intrusive_ptr<c10d::Store> store;
  if (address.starts_with(kTcp)) {
    const std::string rest = address.substr(std::string(kTcp).size());
    const size_t slash = rest.find('/'), colon = rest.rfind(':', slash);
    TORCH_CHECK(slash != std::string::npos && colon != std::string::npos, "no store: ", address);
    const int port = std::stoi(rest.substr(colon + 1, slash - colon - 1));
    const std::string prefix = rest.substr(slash + 1);
    store = tcp_store(rest.substr(0, colon), port, /*keeps=*/false, timeout);
    if (!prefix.empty()) store = c10::make_intrusive<c10d::PrefixStore>(prefix, store);
  } else {
    store = c10::make_intrusive<c10d::FileStore>(address, kNobodyRemovesTheFile);
  }
  store->setTimeout(timeout);
  return store;
}

c10::intrusive_ptr<c10d::Store> keep_store(const std::string& host, int port,
                                           std::chrono::milliseconds timeout) {
  return tcp_store(host, port, /*keeps=*/true, timeout);
}

std::string store_address(const std::string& host, int port, const std::string& prefix) {
  return kTcp + host + ":" + std::to_string(port) + "/" + prefix;
}

}  // namespace attncheck::gloo_cpu
