// SPDX-License-Identifier: Apache-2.0
#include "core/memory/block_search.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "core/base/text.h"
#include "core/memory/allocations.h"

namespace lockstep {

namespace {

std::string_view withoutBlanks(std::string_view text)
{
    const size_t first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t");
    return first == std::string_view::npos ? std::string_view() : text.substr(first, last - first + 1);
}

constexpr size_t kMinDigits = 4; // shorter strings match too many addresses and may be words

struct AddressSought {
    uint64_t value = 0;
    std::string digits; // lower case
};

std::optional<AddressSought> addressIn(std::string_view text)
{
    if (text.starts_with("0x")) text.remove_prefix(2);
    AddressSought out;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out.value, 16);
    if (error != std::errc() || end != text.data() + text.size() || text.size() < kMinDigits) return {};
    out.digits = text;
    return out;
}

bool isAddressOf(const PlacedBlock& block, const AddressSought& sought)
{
    if (sought.value >= block.address && sought.value - block.address < block.size_bytes) return true;
    std::array<char, 16> digits{};
    const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), block.address, 16);
    return std::string_view(digits.data(), static_cast<size_t>(end - digits.data()))
        .starts_with(sought.digits);
}

} // namespace

FoundBlocks findBlocks(const AllocatorState& state, const DeviceReplay& device,
                       const MemorySnapshot& snapshot, const StringPool& strings, std::string_view text)
{
    FoundBlocks out;
    out.isFound.resize(state.blocks.size());
    const std::string sought = lowerAscii(withoutBlanks(text));
    if (sought.empty()) return out;
    const auto address = addressIn(sought);
    const std::vector<bool> stacks = stacksWith(snapshot, framesWith(snapshot, strings, sought));
    for (size_t i = 0; i < state.blocks.size(); ++i) {
        const PlacedBlock& block = state.blocks[i];
        const MemoryStackId stack = device.blocks.stack[block.life.value];
        if (!(stack.isValid() && stacks[stack.value]) && !(address && isAddressOf(block, *address))) continue;
        out.isFound[i] = 1;
        ++out.count;
        out.size_bytes += block.size_bytes;
    }
    return out;
}

} // namespace lockstep
