// SPDX-License-Identifier: Apache-2.0
// GpuWork runs GPU kernels and copies on a GPU if the driver and a device are found at run time; no CUDA
// library is linked. One object per rank, used on the thread that created it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lockstep::demo {

struct CudaDriver;

class GpuWork {
  public:
    // Ranks of one host use its devices in turn.
    explicit GpuWork(uint32_t localRank);
    ~GpuWork();
    GpuWork(const GpuWork&) = delete;
    GpuWork& operator=(const GpuWork&) = delete;

    // Returns true if work runs on a GPU. Otherwise text() returns the reason, and the calls below return
    // immediately.
    bool isThere() const { return m_isThere; }
    const std::string& text() const { return m_text; }
    // Runs GPU kernels of about a millisecond each, one after another, until the given time has passed, and
    // waits for them.
    void compute(int milliseconds);
    // Copies to the device and back, and waits for both copies.
    void copy(std::vector<float>& values);

  private:
    bool begin(uint32_t localRank);
    bool check(int result, const char* what);

    CudaDriver* m_driver = nullptr;
    void* m_stream = nullptr;
    void* m_function = nullptr;
    uint64_t m_memory = 0;
    int m_rounds = 4'000;
    bool m_isThere = false;
    std::string m_text;
};

} // namespace lockstep::demo
