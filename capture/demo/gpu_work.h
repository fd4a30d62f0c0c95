// SPDX-License-Identifier: Apache-2.0
// GpuWork: kernels and copies on a GPU, where the driver and a device are found at run time; nothing is
// linked. One rank's, on the thread that made it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lockstep::demo {

struct CudaDriver;

class GpuWork {
  public:
    // Ranks of one host take its devices in turn.
    explicit GpuWork(uint32_t localRank);
    ~GpuWork();
    GpuWork(const GpuWork&) = delete;
    GpuWork& operator=(const GpuWork&) = delete;

    // Where nothing runs on a GPU: text() says why, and the calls below return at once.
    bool isThere() const { return m_isThere; }
    const std::string& text() const { return m_text; }
    // Kernels of about a millisecond each, one behind the other, until so many ms are over. Waits for them.
    void compute(int milliseconds);
    // To the device and back. Waits for both.
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
