// SPDX-License-Identifier: Apache-2.0
// CudaActivity: the CUDA half: CUPTI, loaded at run time, told to deliver records while the gate is open. Its
// buffers wait here for the writer. Where there is no CUDA, no CUPTI, or another tool holds it, it only says
// so. Any thread.
#pragma once

#include <cstdint>
#include <string>

namespace lockstep::capture {

class BlockBuilder;
class Recorder;

class CudaActivity {
  public:
    virtual ~CudaActivity() = default;

    // From InitializeInjection, that is inside cuInit. Once.
    virtual void attach(Recorder& recorder) = 0;
    // Records are wanted from now on.
    virtual void record() noexcept = 0;
    // Waits, a second at most, until the records of all work begun before are here; then, when `stops`,
    // delivers no more.
    virtual void drain(bool stops) noexcept = 0;
    // The writer's: asks for what is complete, at most once in a while.
    virtual void poll() noexcept = 0;
    // Ends an epoch: what is delivered later belongs to the next one. Returns the number of the one that
    // ended.
    virtual uint64_t endEpoch() noexcept = 0;
    // The writer's: puts the records of waiting buffers up to that epoch into the block, until it has
    // `limit_bytes`. True while more wait.
    virtual bool encode(BlockBuilder& block, uint64_t limit_bytes, uint64_t epoch) = 0;
    // The writer's: a new report begins: devices, contexts and streams are to be said again.
    virtual void beginReport() = 0;
    // What is known of CUDA in this process, for people: "not used by this process so far", "CUPTI 26.0
    // (path)".
    virtual std::string stateText() = 0;
    // A word for scripts: "absent", "recording", "no_cupti", "held", "not_built", "failed". Counts its
    // changes.
    virtual std::string stateWord() = 0;
    virtual uint32_t stateChanges() = 0;
};

// The process's one.
CudaActivity& cudaActivity() noexcept;

} // namespace lockstep::capture
