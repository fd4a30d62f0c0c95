// SPDX-License-Identifier: Apache-2.0
// An nsys export with the size and shape of a training step loop: schema 3.25, kernels of 40 operations per
// layer with their launches, NVTX ranges of layers and operators. Times vary like measured ones, from a fixed
// seed.
#pragma once

#include <filesystem>

namespace lockstep::test {

struct TrainingExportSize {
    int64_t kernels = 0, calls = 0, ranges = 0;
};

// About 300 kB per step. Returns false if SQLite fails.
bool writeTrainingExport(const std::filesystem::path& path, int steps, TrainingExportSize& size);

} // namespace lockstep::test
