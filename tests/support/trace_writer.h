// SPDX-License-Identifier: Apache-2.0
// Writes Kineto traces of any size in the layout of PyTorch, for benches: about 300 bytes per event, four CPU
// threads of nested ops, two of which launch, six streams, correlation ids, ac2g flows, arguments.
#pragma once

#include <cstdint>
#include <filesystem>

namespace lockstep::test {

// Writes exactly `events` events; returns the size of the file in bytes.
uint64_t writeKinetoTrace(const std::filesystem::path& path, size_t events);

} // namespace lockstep::test
