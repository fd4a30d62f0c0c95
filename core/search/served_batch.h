// SPDX-License-Identifier: Apache-2.0
// ServedBatch: what an inference server did for a request or for one span of it: the spans of the other
// requests in the same batches, and the kernels of these batches. Only what the files record counts: spans
// belong to one batch if their batch id, forward mode, host id and scheduler thread are equal (SGLang at
// trace level 3), and kernels were launched on that thread, found by its native id and host. A process is
// never guessed by time. Value types; pure. Thread: any.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/lanes/area.h"
#include "core/scene/scene.h"

namespace lockstep {

enum class BatchKernels : uint8_t {
    found,      // a trace with the scheduler's thread is open; it may have no kernel of the batch
    noThread,   // the file does not record the thread
    noTrace,    // no open trace has a thread with this id
    otherHosts, // only traces of other hosts have one
    noHost,     // a trace has one, but its host or the server's is not known
    ambiguous,  // traces of several processes have one
    notAligned  // the clock of the requests or of the trace is not aligned
};

struct ServedBatch {
    bool isExact = false;        // the batches are recorded; otherwise only `requests` is set
    size_t batches = 0;          // that the request or the span ran in
    size_t requests = 0;         // in open reports, in these batches, including this one; if not exact:
                                 // other requests of the server on which it worked at the same time
    std::optional<int64_t> size; // of a single batch: number of requests, as recorded
    SliceList slices;            // spans of the other requests, and kernels; nullptr: none
    size_t kernels = 0;          // number of kernels, copies and memsets in `slices`
    BatchKernels state = BatchKernels::noThread;
    std::optional<int64_t> bound_ns; // error of the clock of the trace against that of the requests, if known
    int64_t thread = 0;              // of the scheduler; 0 if not recorded
    std::string host;                // of the scheduler, as recorded
    bool isCut = false;              // there are more than kMaxServed slices
};

inline constexpr size_t kMaxServed = 100'000;

// Returns nullopt if the server did not work on a request in this slice. `of` may be any slice of a visible
// report. O(details of the spans + slices on the scheduler's thread).
std::optional<ServedBatch> servedBatch(const Scene& scene, SliceRef of);

// Returns names and values for the details of a slice: {"batch", "shared by 31 requests"}, {"kernels", ...}.
std::vector<std::pair<std::string, std::string>> servedText(const ServedBatch& batch);

} // namespace lockstep
