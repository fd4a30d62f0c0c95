// SPDX-License-Identifier: Apache-2.0
// An nsys export of the size and shape that a training step loop leaves: schema 3.25, kernels of 40
// operations a layer with their launches, NVTX ranges of layers and operators. Times vary as measured ones
// do, from a fixed seed.
#pragma once

#include <filesystem>

namespace lockstep::test {

struct TrainingExportSize {
    int64_t kernels = 0, calls = 0, ranges = 0;
};

// Some 300 kB a step. False when SQLite refuses.
bool writeTrainingExport(const std::filesystem::path& path, int steps, TrainingExportSize& size);

} // namespace lockstep::test
