#pragma once

#include <chrono>
#include <string>

#include <torch/csrc/distributed/c10d/Store.hpp>

namespace attncheck::gloo_cpu {

// Where processes leave each other short messages, by a text that can cross their borders:
//   /path/of/a/file             a FileStore: processes of one machine
//   tcp://HOST:PORT/PREFIX      a TCPStore that somebody keeps there, and all keys begin with
//   PREFIX
// Throws for another text, and if there is no store within the timeout.
c10::intrusive_ptr<c10d::Store> open_store(const std::string& address,
                                           std::chrono::milliseconds timeout);

// Keeps a TCPStore at that port of this machine, for as long as what is returned lives. Throws
// where the port is taken.
c10::intrusive_ptr<c10d::Store> keep_store(const std::string& host, int port,
                                           std::chrono::milliseconds timeout);
// The text of a store that is kept there.
std::string store_address(const std::string& host, int port, const std::string& prefix);

}  // namespace attncheck::gloo_cpu
