#include "cudnn_probe/device.h"

#include <fmt/format.h>

namespace attncheck {

const std::vector<CudnnDevice>& cudnn_device_table() {
  static const std::vector<CudnnDevice> table{
      {75, "T4", 40, 65536, 1024, 16, 4LL << 20, 16LL << 30},
      {80, "A100", 108, 166912, 2048, 32, 40LL << 20, 80LL << 30},
      {86, "A10", 72, 101376, 1536, 16, 6LL << 20, 24LL << 30},
      {89, "L40S", 142, 101376, 1536, 24, 96LL << 20, 48LL << 30},
      {90, "H100", 132, 232448, 2048, 32, 50LL << 20, 80LL << 30},
      {100, "B200", 148, 232448, 2048, 32, 126LL << 20, 180LL << 30},
      {120, "RTX PRO 6000", 188, 101376, 1536, 24, 128LL << 20, 96LL << 30},
  };
  return table;
}

std::string device_text(const CudnnDevice& device) {
  constexpr const char* kAlike =
      R"("cudaDeviceId":0,"driverVer":13000,"isTccDriver":0,"maxBlockSize":[1024,1024,64],)"
      R"("maxGridSize":[2147483647,65535,65535],"maxRegistersPerSM":65536,)"
      R"("maxSharedMemoryPerBlock":49152,"maxThreadsPerBlock":1024,"memClockRateKHz":2619000,)"
      R"("pciDeviceId":0,"regsPerBlock":65536,"reservedSharedMemoryPerBlock":1024,)"
      R"("smClockRateKHz":1980000,"supportCoopLaunch":1,"warpSize":32)";
  return fmt::format(
      R"({{"deviceName":"{}","deviceVer":{},"l2CacheSize":{},"maxCtasPerSM":{},)"
      R"("maxSharedMemoryPerBlockOptin":{},"maxThreadsPerSM":{},"multiProcessorCount":{},)"
      R"("totalGlobalMem":{},{}}})",
      device.name, device.sm * 10, device.l2, device.blocks, device.shared_memory, device.threads,
      device.sm_count, device.memory, kAlike);
}

}  // namespace attncheck
