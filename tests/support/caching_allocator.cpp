// SPDX-License-Identifier: Apache-2.0
#include "tests/support/caching_allocator.h"

#include <algorithm>
#include <cmath>

namespace lockstep::test {

namespace {

constexpr uint64_t kMiB = 1 << 20;

uint64_t upTo(uint64_t size_bytes, uint64_t multiple)
{
    return (size_bytes + multiple - 1) / multiple * multiple;
}

} // namespace

uint64_t CachingAllocator::allocate(uint64_t requested_bytes, uint64_t stream, uint64_t pool, uint32_t stack)
{
    const uint64_t size = std::max<uint64_t>(512, upTo(requested_bytes + m_model.padding_bytes, 512));
    const bool isSmall = size <= kMiB;
    uint64_t best = 0, bestSize = ~uint64_t(0);
    for (auto& [address, segment] : m_segments) {
        if (segment.stream != stream || segment.pool != pool || segment.isSmall != isSmall) continue;
        for (auto& [at, piece] : segment.pieces) {
            if (piece.state != BlockState::inactive || piece.size_bytes < size ||
                piece.size_bytes >= bestSize)
                continue;
            best = at;
            bestSize = piece.size_bytes;
        }
    }
    if (best == 0)
        best = m_model.isExpandable ? extend(size, stream, pool, isSmall, stack)
                                    : reserve(size, stream, pool, isSmall, stack);
    Segment& segment = segmentOf(best);
    Piece& piece = segment.pieces.at(best);
    const uint64_t rest = piece.size_bytes - size;
    const bool isCut = isSmall || m_model.isExpandable ? rest >= 512 : rest > kMiB;
    if (isCut) {
        segment.pieces[best + size] = {rest, 0, BlockState::inactive, 0};
        piece.size_bytes = size;
    }
    piece.requested_bytes = requested_bytes;
    piece.state = BlockState::allocated;
    piece.stack = stack;
    m_now.active += static_cast<int64_t>(piece.size_bytes);
    m_now.allocated += static_cast<int64_t>(piece.size_bytes);
    m_now.requested += static_cast<int64_t>(requested_bytes);
    m_activeNow[best] = 1;
    record(MemoryAction::alloc, best, requested_bytes, stream, stack);
    return best;
}

void CachingAllocator::free(uint64_t address, bool staysPending)
{
    Piece& piece = pieceAt(address);
    piece.state = BlockState::pendingFree;
    m_now.allocated -= static_cast<int64_t>(piece.size_bytes);
    record(MemoryAction::freeRequested, address, piece.requested_bytes, segmentOf(address).stream);
    if (!staysPending) complete(address);
}

void CachingAllocator::complete(uint64_t address)
{
    Segment& segment = segmentOf(address);
    Piece& piece = segment.pieces.at(address);
    const uint64_t requested = piece.requested_bytes;
    piece.state = BlockState::inactive;
    m_now.active -= static_cast<int64_t>(piece.size_bytes);
    m_now.requested -= static_cast<int64_t>(requested);
    m_activeNow.erase(address);
    record(MemoryAction::freeCompleted, address, requested, segment.stream);
    joinFree(segment, address);
}

void CachingAllocator::emptyCache()
{
    std::vector<uint64_t> addresses;
    for (const auto& [address, segment] : m_segments)
        addresses.push_back(address);
    for (const uint64_t address : addresses) {
        if (m_model.isExpandable) {
            unmapPages(address);
            continue;
        }
        const Segment& segment = m_segments.at(address);
        if (segment.pieces.size() > 1 || segment.pieces.begin()->second.state != BlockState::inactive)
            continue;
        const uint64_t size = segment.size_bytes, stream = segment.stream;
        m_segments.erase(address);
        m_now.reserved -= static_cast<int64_t>(size);
        record(MemoryAction::segmentFree, address, size, stream);
    }
}

void CachingAllocator::takeSnapshot()
{
    record(MemoryAction::snapshot, 0, static_cast<uint64_t>(m_now.active), 0);
}

void CachingAllocator::failToAllocate(uint64_t requested_bytes)
{
    record(MemoryAction::outOfMemory, 12345, requested_bytes, 0);
}

uint64_t CachingAllocator::reserve(uint64_t rounded_bytes, uint64_t stream, uint64_t pool, bool isSmall,
                                   uint32_t stack)
{
    const uint64_t size = isSmall                     ? 2 * kMiB
                          : rounded_bytes < 10 * kMiB ? 20 * kMiB
                                                      : upTo(rounded_bytes, 2 * kMiB);
    const uint64_t address = freeAddressFor(size);
    m_segments[address] = {size,    stream, pool,
                           isSmall, stack,  {{address, {size, 0, BlockState::inactive, 0}}}};
    m_now.reserved += static_cast<int64_t>(size);
    record(MemoryAction::segmentAlloc, address, size, stream, stack);
    return address;
}

// Maps pages after the end of the stream's segment; each mapping is an entry.
uint64_t CachingAllocator::extend(uint64_t rounded_bytes, uint64_t stream, uint64_t pool, bool isSmall,
                                  uint32_t stack)
{
    const uint64_t page = isSmall ? 2 * kMiB : 20 * kMiB;
    uint64_t last = 0;
    for (auto& [address, segment] : m_segments) {
        if (segment.stream == stream && segment.pool == pool && segment.isSmall == isSmall) last = address;
    }
    uint64_t size = upTo(rounded_bytes, page);
    if (last != 0) {
        Segment& segment = m_segments.at(last);
        const auto& [at, piece] = *segment.pieces.rbegin();
        if (piece.state == BlockState::inactive) size = upTo(rounded_bytes - piece.size_bytes, page);
        const uint64_t end = last + segment.size_bytes;
        const auto next = m_segments.upper_bound(last);
        if (next == m_segments.end() || next->first >= end + size) {
            segment.size_bytes += size;
            segment.pieces[end] = {size, 0, BlockState::inactive, 0};
            joinFree(segment, end);
            m_now.reserved += static_cast<int64_t>(size);
            record(MemoryAction::segmentMap, end, size, stream, stack);
            return segment.pieces.rbegin()->first;
        }
        size = upTo(rounded_bytes, page);
    }
    const uint64_t address =
        freeAddressFor(size) + (uint64_t(1) << 34) * (1 + stream * 2 + pool * 8 + isSmall);
    m_segments[address] = {size,    stream, pool,
                           isSmall, stack,  {{address, {size, 0, BlockState::inactive, 0}}}};
    m_now.reserved += static_cast<int64_t>(size);
    record(MemoryAction::segmentMap, address, size, stream, stack);
    return address;
}

// Uses the lowest gap, so that addresses are reused. Segments may touch.
uint64_t CachingAllocator::freeAddressFor(uint64_t size_bytes)
{
    uint64_t address = uint64_t(1) << 32;
    for (const auto& [begin, segment] : m_segments) {
        if (address + size_bytes <= begin) break;
        address = std::max(address, begin + segment.size_bytes);
    }
    return address;
}

CachingAllocator::Segment& CachingAllocator::segmentOf(uint64_t address)
{
    return std::prev(m_segments.upper_bound(address))->second;
}

void CachingAllocator::joinFree(Segment& segment, uint64_t address)
{
    auto at = segment.pieces.find(address);
    const auto next = std::next(at);
    if (next != segment.pieces.end() && next->second.state == BlockState::inactive) {
        at->second.size_bytes += next->second.size_bytes;
        segment.pieces.erase(next);
    }
    if (at == segment.pieces.begin()) return;
    const auto before = std::prev(at);
    if (before->second.state != BlockState::inactive) return;
    before->second.size_bytes += at->second.size_bytes;
    segment.pieces.erase(at);
}

// Unmaps whole pages of free blocks; what stays mapped on both sides becomes separate segments.
void CachingAllocator::unmapPages(uint64_t address)
{
    const Segment whole = m_segments.at(address);
    const uint64_t page = whole.isSmall ? 2 * kMiB : 20 * kMiB;
    for (const auto& [at, piece] : whole.pieces) {
        if (piece.state != BlockState::inactive) continue;
        const uint64_t begin = address + upTo(at - address, page);
        const uint64_t end = address + (at + piece.size_bytes - address) / page * page;
        if (begin >= end) continue;
        Segment& left = segmentOf(at);
        const uint64_t leftBegin = std::prev(m_segments.upper_bound(at))->first;
        Segment right = left;
        right.pieces.clear();
        right.size_bytes = leftBegin + left.size_bytes - end;
        if (at + piece.size_bytes > end)
            right.pieces[end] = {at + piece.size_bytes - end, 0, BlockState::inactive, 0};
        for (auto rest = left.pieces.upper_bound(at); rest != left.pieces.end(); ++rest)
            right.pieces.insert(*rest);
        left.pieces.erase(left.pieces.find(at), left.pieces.end());
        if (begin > at) left.pieces[at] = {begin - at, 0, BlockState::inactive, 0};
        left.size_bytes = begin - leftBegin;
        const uint64_t stream = left.stream;
        if (left.size_bytes == 0) m_segments.erase(leftBegin);
        if (right.size_bytes > 0) m_segments[end] = right;
        m_now.reserved -= static_cast<int64_t>(end - begin);
        record(MemoryAction::segmentUnmap, begin, end - begin, stream);
    }
}

void CachingAllocator::record(MemoryAction action, uint64_t address, uint64_t size_bytes, uint64_t stream,
                              uint32_t stack)
{
    m_time_ns += 1000 * static_cast<int64_t>(m_entries.size() % 7);
    m_entries.push_back({action, address, size_bytes, stream, 0, stack, m_time_ns});
    m_levels.push_back(m_now);
    std::vector<uint64_t> active;
    for (const auto& [at, one] : m_activeNow)
        active.push_back(at);
    m_active.push_back(std::move(active));
}

std::vector<uint64_t> CachingAllocator::allocated() const
{
    std::vector<uint64_t> out;
    for (const auto& [address, segment] : m_segments) {
        for (const auto& [at, piece] : segment.pieces) {
            if (piece.state == BlockState::allocated) out.push_back(at);
        }
    }
    return out;
}

std::vector<uint64_t> CachingAllocator::pending() const
{
    std::vector<uint64_t> out;
    for (const auto& [address, segment] : m_segments) {
        for (const auto& [at, piece] : segment.pieces) {
            if (piece.state == BlockState::pendingFree) out.push_back(at);
        }
    }
    return out;
}

std::shared_ptr<const MemorySnapshot> CachingAllocator::dump(size_t kept) const
{
    auto out = std::make_shared<MemorySnapshot>();
    constexpr uint32_t kStacks = 8;
    for (uint32_t stack = 0; stack < kStacks; ++stack) {
        out->frames.push_back({StringId(stack), StringId(0u), static_cast<int32_t>(stack), StringId(0u)});
        out->stackFrames.push_back(MemoryFrameId(stack));
        out->stackFrames.push_back(MemoryFrameId(0u));
        out->stackBegin.push_back(static_cast<uint32_t>(out->stackFrames.size()));
    }
    out->devices.push_back(m_model.device);
    MemorySegmentTable& s = out->segments;
    for (const auto& [address, segment] : m_segments) {
        s.device.push_back(m_model.device);
        s.address.push_back(address);
        s.total_bytes.push_back(segment.size_bytes);
        s.allocated_bytes.push_back(0);
        s.active_bytes.push_back(0);
        s.requested_bytes.push_back(0);
        s.stream.push_back(segment.stream);
        s.pool.push_back({segment.pool, 0});
        s.type.push_back(StringId(0u));
        s.isExpandable.push_back(m_model.isExpandable);
        s.stack.push_back(MemoryStackId(segment.stack));
        s.firstBlock.push_back(static_cast<uint32_t>(out->blocks.size()));
        s.blockCount.push_back(static_cast<uint32_t>(segment.pieces.size()));
        for (const auto& [at, piece] : segment.pieces) {
            const bool isActive = piece.state != BlockState::inactive;
            if (piece.state == BlockState::allocated) s.allocated_bytes.back() += piece.size_bytes;
            if (isActive) s.active_bytes.back() += piece.size_bytes;
            if (isActive) s.requested_bytes.back() += piece.requested_bytes;
            out->blocks.address.push_back(at);
            out->blocks.size_bytes.push_back(piece.size_bytes);
            out->blocks.requested_bytes.push_back(piece.requested_bytes);
            out->blocks.state.push_back(piece.state);
            out->blocks.stack.push_back(isActive ? MemoryStackId(piece.stack) : MemoryStackId());
        }
    }
    for (size_t i = m_entries.size() - std::min(kept, m_entries.size()); i < m_entries.size(); ++i) {
        const Entry& entry = m_entries[i];
        out->entries.device.push_back(m_model.device);
        out->entries.action.push_back(entry.action);
        out->entries.address.push_back(entry.address);
        out->entries.size_bytes.push_back(entry.size_bytes);
        out->entries.stream.push_back(entry.stream);
        out->entries.time_ns.push_back(entry.time_ns);
        out->entries.stack.push_back(MemoryStackId(entry.stack));
    }
    return out;
}

CachingAllocator randomAllocator(AllocatorModel model, size_t steps, std::mt19937_64& random)
{
    CachingAllocator allocator(model);
    const auto below = [&](uint64_t end) { return random() % end; };
    for (size_t step = 0; step < steps; ++step) {
        const std::vector<uint64_t> live = allocator.allocated(), waiting = allocator.pending();
        const uint64_t dice = below(100);
        if (dice < 40 && !live.empty()) {
            allocator.free(live[below(live.size())], below(5) == 0);
        } else if (dice < 46 && !waiting.empty()) {
            allocator.complete(waiting[below(waiting.size())]);
        } else if (dice < 48) {
            allocator.emptyCache();
        } else if (dice < 50) {
            allocator.takeSnapshot();
        } else if (dice == 50) {
            allocator.failToAllocate(below(1 << 30));
        } else {
            // Sizes of every order of magnitude up to 48 MiB, often near the limits of the rules.
            uint64_t size = uint64_t(std::exp2(double(below(256)) / 10.0));
            if (below(4) == 0) size = (1 + below(24)) * kMiB + below(3) - 1;
            if (below(8) == 0) size += below(kMiB);
            allocator.allocate(size, below(4) == 0, below(6) == 0, static_cast<uint32_t>(below(8)));
        }
    }
    return allocator;
}

} // namespace lockstep::test
