// SPDX-License-Identifier: Apache-2.0
// CudaActivity records CUDA through CUPTI, which is loaded at run time and delivers records while the gate is
// open. CudaActivity stores CUPTI's buffers until the writer reads them. If CUDA or CUPTI is missing, or if
// another tool uses CUPTI, it only reports that. Any thread.
#pragma once

#include <cstdint>
#include <string>

namespace lockstep::capture {

class BlockBuilder;
class Recorder;

class CudaActivity {
  public:
    virtual ~CudaActivity() = default;

    // Called once from InitializeInjection, which runs inside cuInit.
    virtual void attach(Recorder& recorder) = 0;
    // Starts the delivery of records.
    virtual void record() noexcept = 0;
    // Blocks for at most a second until the records of all work begun so far have arrived. If `stops`, then
    // ends the delivery.
    virtual void drain(bool stops) noexcept = 0;
    // Writer thread: requests completed records. There is a minimum interval between requests.
    virtual void poll() noexcept = 0;
    // Ends an epoch, so that records delivered later belong to the next one. Returns the number of the epoch
    // that ended.
    virtual uint64_t endEpoch() noexcept = 0;
    // Writer thread: adds the records of pending buffers up to that epoch to the block, until the block has
    // `limit_bytes`. Returns true while more records are pending.
    virtual bool encode(BlockBuilder& block, uint64_t limit_bytes, uint64_t epoch) = 0;
    // Writer thread: begins a new report, so that devices, contexts and streams are written again.
    virtual void beginReport() = 0;
    // Returns the state of CUDA in this process as readable text, such as "this process has not used CUDA" or
    // "CUPTI 26, PATH".
    virtual std::string stateText() = 0;
    // stateName() returns an identifier for scripts: "absent", "recording", "no_cupti", "held", "not_built",
    // "failed". stateChanges() returns how often it has changed.
    virtual std::string stateName() = 0;
    virtual uint32_t stateChanges() = 0;
};

// Returns the object of this process.
CudaActivity& cudaActivity() noexcept;

} // namespace lockstep::capture
