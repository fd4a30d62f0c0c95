// SPDX-License-Identifier: Apache-2.0
#include "core/memory/allocator_rules.h"

#include <algorithm>
#include <bit>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "core/trace/memory_snapshot_table.h"

namespace lockstep {

namespace {

constexpr uint64_t kAscendPadding_bytes = 32;
constexpr uint64_t kLargeBuffer_bytes =
    20 * 1024 * 1024; // kLargeBuffer: largest remainder that is not split off a block
constexpr uint32_t kMaxDivisions = 1 << 16;

// Intervals for PowerOf2 begin at 1 MiB; smaller sizes use the first.
size_t divisionIndex(uint64_t size_bytes, size_t count)
{
    constexpr size_t kFirst = 21; // bits of 1 MiB
    const auto bits = static_cast<size_t>(std::bit_width(size_bytes));
    return std::min(std::max(bits, kFirst) - kFirst, count - 1);
}

uint64_t nextDivision(uint64_t size_bytes, uint32_t divisions)
{
    if (std::has_single_bit(size_bytes)) return size_bytes;
    const uint64_t floor = std::bit_floor(size_bytes);
    const uint64_t division = floor >> (std::bit_width(divisions) - 1);
    if (division == 0) return floor << 1;
    const uint64_t below = size_bytes & ~(division - 1);
    return below == size_bytes ? size_bytes : below + division;
}

// Returns how many of the dump's blocks with exact sizes have the size that the rules compute.
size_t explained(const AllocatorRules& rules, const MemorySnapshot& snapshot)
{
    size_t count = 0;
    for (size_t block = 0; block < snapshot.blocks.size(); ++block) {
        const uint64_t requested = snapshot.blocks.requested_bytes[block];
        if (snapshot.blocks.state[block] != BlockState::allocated || requested > kLargestSmall_bytes)
            continue;
        count += rules.rounded(requested) == snapshot.blocks.size_bytes[block];
    }
    return count;
}

// Returns how many small blocks in the history end where another block begins. Used for dumps in which no
// block has an exact size.
size_t explainedByHistory(const AllocatorRules& rules, const MemorySnapshot& snapshot)
{
    const auto& entries = snapshot.entries;
    const auto forEachAlloc = [&](const auto& take) {
        for (size_t row = 0; row < entries.size(); ++row) {
            if (entries.action[row] == MemoryAction::alloc && entries.size_bytes[row] <= kLargestSmall_bytes)
                take(entries.address[row], entries.size_bytes[row]);
        }
    };
    std::vector<uint64_t> begins;
    forEachAlloc([&](uint64_t address, uint64_t) { begins.push_back(address); });
    std::ranges::sort(begins);
    size_t count = 0;
    forEachAlloc([&](uint64_t address, uint64_t size) {
        count += std::ranges::binary_search(begins, address + rules.rounded(size)) ? 1 : 0;
    });
    return count;
}

} // namespace

uint64_t AllocatorRules::rounded(uint64_t requested_bytes) const
{
    if (recordsAllocatedSizes) return requested_bytes;
    const uint64_t size = requested_bytes + padding_bytes;
    if (size < kSmallestBlock_bytes) return kSmallestBlock_bytes;
    const uint32_t divisions = powerOf2Divisions[divisionIndex(size, powerOf2Divisions.size())];
    if (divisions > 1 && size > kSmallestBlock_bytes * divisions) return nextDivision(size, divisions);
    return (size + kSmallestBlock_bytes - 1) / kSmallestBlock_bytes * kSmallestBlock_bytes;
}

uint64_t AllocatorRules::allocatedSize(uint64_t rounded_bytes, uint64_t free_bytes) const
{
    if (free_bytes < rounded_bytes) return rounded_bytes;
    const uint64_t rest = free_bytes - rounded_bytes;
    if (rounded_bytes >= maxSplit_bytes) return rest < kLargeBuffer_bytes ? free_bytes : rounded_bytes;
    return rest > kLargestSmall_bytes ? rounded_bytes : free_bytes;
}

AllocatorRules allocatorRules(std::span<const Fact> facts, const MemorySnapshot& snapshot)
{
    AllocatorRules rules;
    rules.recordsAllocatedSizes =
        !snapshot.isOfAllocator() || recordedSizesOf(snapshot) == RecordedSizes::allocated;
    if (rules.recordsAllocatedSizes) return rules;
    constexpr std::string_view kDivisions = "allocator.roundup_power2_divisions.";
    for (const auto& [name, value] : facts) {
        const auto number = parseInt(value);
        if (!number || *number <= 0) continue; // -1 and 0: not set
        if (name == "allocator.max_split_size") rules.maxSplit_bytes = static_cast<uint64_t>(*number);
        if (!name.starts_with(kDivisions)) continue;
        const auto interval = parseInt(std::string_view(name).substr(kDivisions.size()));
        if (!interval || *interval <= 0 || !std::has_single_bit(static_cast<uint64_t>(*interval))) continue;
        const auto index = static_cast<size_t>(std::bit_width(static_cast<uint64_t>(*interval)) - 1);
        if (index < rules.powerOf2Divisions.size() && *number <= kMaxDivisions)
            rules.powerOf2Divisions[index] = static_cast<uint32_t>(*number);
    }
    AllocatorRules padded = rules;
    padded.padding_bytes = kAscendPadding_bytes;
    if (const auto inDump = std::pair(explained(padded, snapshot), explained(rules, snapshot));
        inDump.first + inDump.second > 0)
        return inDump.first > inDump.second ? padded : rules;
    return explainedByHistory(padded, snapshot) > explainedByHistory(rules, snapshot) ? padded : rules;
}

} // namespace lockstep
