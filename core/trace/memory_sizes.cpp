// SPDX-License-Identifier: Apache-2.0
#include "core/trace/memory_sizes.h"

#include <map>
#include <utility>

namespace lockstep {

RecordedSizes recordedSizesOf(const MemorySnapshot& snapshot)
{
    constexpr uint64_t kAlignment_bytes = 512;
    const auto& entries = snapshot.entries;
    // last size in the history, by address, of blocks whose sizes differ in the dump
    std::map<uint64_t, uint64_t> lastSize;
    for (size_t block = 0; block < snapshot.blocks.size(); ++block) {
        const bool tells = snapshot.blocks.state[block] == BlockState::allocated &&
                           snapshot.blocks.requested_bytes[block] != snapshot.blocks.size_bytes[block];
        if (tells) lastSize.emplace(snapshot.blocks.address[block], 0);
    }
    for (size_t row = 0; row < entries.size(); ++row) {
        if (entries.action[row] != MemoryAction::alloc) continue;
        if (entries.address[row] % kAlignment_bytes != 0) return RecordedSizes::handedOut;
        const auto telling = lastSize.find(entries.address[row]);
        if (telling != lastSize.end()) telling->second = entries.size_bytes[row];
    }
    size_t requested = 0, handedOut = 0;
    for (size_t block = 0; block < snapshot.blocks.size(); ++block) {
        const auto telling = lastSize.find(snapshot.blocks.address[block]);
        if (telling == lastSize.end()) continue;
        requested += telling->second == snapshot.blocks.requested_bytes[block] ? 1 : 0;
        handedOut += telling->second == snapshot.blocks.size_bytes[block] ? 1 : 0;
    }
    if (handedOut > requested) return RecordedSizes::handedOut;
    return requested > 0 ? RecordedSizes::requested : RecordedSizes::unknown;
}

} // namespace lockstep
