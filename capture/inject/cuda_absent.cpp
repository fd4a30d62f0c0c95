// SPDX-License-Identifier: Apache-2.0
// Replacement for the CUDA part if the library was built without the CUPTI headers.
#include "capture/inject/cuda_activity.h"

namespace lockstep::capture {

namespace {

class NoCudaActivity final : public CudaActivity {
  public:
    void attach(Recorder&) override {}
    void record() noexcept override {}
    void drain(bool) noexcept override {}
    void poll() noexcept override {}
    uint64_t endEpoch() noexcept override { return 0; }
    bool encode(BlockBuilder&, uint64_t, uint64_t) override { return false; }
    void beginReport() override {}
    std::string stateText() override { return "this library was built without the CUPTI headers"; }
    std::string stateName() override { return "not_built"; }
    uint32_t stateChanges() override { return 0; }
};

} // namespace

CudaActivity& cudaActivity() noexcept
{
    static NoCudaActivity absent;
    return absent;
}

} // namespace lockstep::capture
