// SPDX-License-Identifier: Apache-2.0
// Writes the files of a fictitious asynchronous post-training run: requests to the rollout engines (SGLang's
// --export-metrics-to-file), phases of the trainer (miles's dashboard), and a PyTorch trace of every GPU.
// Requests have long tails; one of each weight version writes a very long answer and comes last.
// Deterministic. Times are of one wall clock.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "core/base/result.h"

namespace lockstep::test {

struct AsyncRunShape {
    int trainers = 32; // GPUs that train
    int engines = 8;   // rollout engines with four GPUs each
    int versions = 4;  // weight versions, one per step
    int requests = 20'000;
};

inline constexpr int kAsyncGpusPerEngine = 4;
inline constexpr int64_t kAsyncStep_ns = 100'000'000'000;

// Returns the paths. Replaces existing files of the same names.
Result<std::vector<std::filesystem::path>> writeAsyncRun(const std::filesystem::path& folder,
                                                         const AsyncRunShape& shape);

} // namespace lockstep::test
