// SPDX-License-Identifier: Apache-2.0
// Writes Kineto traces of any size as PyTorch lays them out, for benches: about 300 bytes an event, four CPU
// threads of nested ops, two of which launch, six streams, correlation ids, ac2g flows, arguments.
#pragma once

#include <cstdint>
#include <filesystem>

namespace lockstep::test {

// Exactly `events` events; returns the file's size in bytes.
uint64_t writeKinetoTrace(const std::filesystem::path& path, size_t events);

} // namespace lockstep::test
