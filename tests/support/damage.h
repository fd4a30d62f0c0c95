// SPDX-License-Identifier: Apache-2.0
// Damages the bytes of a file as disks, links and crashes do, the same way for the same seed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::test {

enum class Damage {
    flippedBits,  // single bits of single bytes
    otherBytes,   // single bytes replaced by any other
    zeroedBlocks, // blocks of 4 KB at multiples of 4 KB
    cut,          // the end is missing
    missingPart,  // a part in the middle is missing
    doubledPart,  // a part appears twice
    swappedParts, // two parts exchanged
    doubledFile,  // the whole file twice
    count
};

const char* damageName(Damage kind);

// Applies `places` faults of one kind: that many bytes, blocks or parts (a file is doubled once). The first
// `spared` bytes do not change.
std::string damaged(std::string_view bytes, Damage kind, size_t places, uint64_t seed, size_t spared = 0);

} // namespace lockstep::test
