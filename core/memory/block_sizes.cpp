// SPDX-License-Identifier: Apache-2.0
#include "core/memory/block_sizes.h"

#include <algorithm>
#include <map>
#include <string>

namespace lockstep {

namespace {

constexpr uint32_t kNoLife = 0xFFFFFFFFu;

class SizeWalk {
  public:
    SizeWalk(const AllocatorRules& rules, const SegmentHistory& segments, PairedBlocks& paired,
             ImportNotes& notes)
        : m_rules(rules), m_segments(segments), m_paired(paired), m_blocks(paired.blocks), m_notes(notes)
    {
    }

    void walk(ReplayWatch& watch)
    {
        placeThoseFromBefore();
        size_t implied = 0;
        for (size_t i = 0; i < m_paired.lifeOf.size(); ++i) {
            if (watch.advanceAndCheckStop()) return;
            m_now = static_cast<MemoryMoment>(i + 1);
            m_segments.goTo(m_now);
            for (; implied < m_paired.impliedFrees.size() && m_paired.impliedFrees[implied].first == m_now;
                 ++implied) {
                takeOut(m_paired.impliedFrees[implied].second);
            }
            const uint32_t life = m_paired.lifeOf[i];
            if (life == kNoLife) continue;
            if (m_blocks.born[life] == m_now) {
                place(life);
            } else if (m_blocks.freed[life] == m_now) {
                takeOut(life);
            }
        }
    }

    const std::vector<uint32_t>& late() const { return m_late; }

  private:
    uint64_t endOf(uint32_t life) const { return m_blocks.address[life] + m_blocks.size_bytes[life]; }

    void placeThoseFromBefore()
    {
        m_segments.goTo(0);
        for (uint32_t life = 0; life < m_blocks.size() && m_blocks.isPreexisting(life); ++life)
            m_live.emplace_hint(m_live.end(), m_blocks.address[life], life);
        uint64_t end = 0;
        for (const auto& [address, life] : m_live) {
            if (address < end) noteOverlap(life);
            findSizeBefore(life);
            end = std::max(end, endOf(life));
        }
    }

    void takeOut(uint32_t life)
    {
        const auto at = m_live.find(m_blocks.address[life]);
        if (at != m_live.end() && at->second == life) m_live.erase(at);
    }

    // Returns the number of free bytes starting at the block's address as if the block did not exist; 0 if
    // the address is not in a known segment.
    uint64_t roomFor(uint32_t life, const SegmentLife* segment) const
    {
        if (segment == nullptr) return 0;
        const uint64_t address = m_blocks.address[life];
        const auto next = m_live.upper_bound(address);
        const uint64_t end = next == m_live.end() ? segment->end() : std::min(segment->end(), next->first);
        return end - address;
    }

    void findSizeBefore(uint32_t life)
    {
        if (m_blocks.size_bytes[life] > 0) return; // size known from the dump
        const uint64_t rounded = m_rules.rounded(m_blocks.requested_bytes[life]);
        m_blocks.size_bytes[life] = rounded;
        const SegmentLife* const segment = m_segments.at(m_blocks.address[life]);
        if (m_rules.isAsStated || m_rules.isSmall(rounded) || (segment != nullptr && segment->isExpandable))
            return;
        const uint64_t room = roomFor(life, segment);
        if (room >= rounded && (room - rounded <= kLargestSmall_bytes || rounded >= m_rules.maxSplit_bytes)) {
            m_blocks.size_bytes[life] = m_rules.handedOut(rounded, room);
        } else {
            m_blocks.flags[life] |= blockFlag::kSizeGuessed;
        }
    }

    void place(uint32_t life)
    {
        const uint64_t address = m_blocks.address[life];
        const uint64_t rounded = m_rules.rounded(m_blocks.requested_bytes[life]);
        clear(life, address, std::max(rounded, m_blocks.size_bytes[life]));
        settleBefore(address);
        if (m_blocks.size_bytes[life] == 0) {
            const SegmentLife* const segment = m_segments.at(address);
            const bool isCut = m_rules.isAsStated || m_rules.isSmall(rounded) ||
                               (segment != nullptr && segment->isExpandable);
            if (!isCut && segment == nullptr) m_blocks.flags[life] |= blockFlag::kSizeGuessed;
            m_blocks.size_bytes[life] = isCut ? rounded : m_rules.handedOut(rounded, roomFor(life, segment));
        }
        m_live.emplace(address, life);
    }

    // A block with a guessed size whose end is up to 1 MiB before this address ends exactly here.
    void settleBefore(uint64_t address)
    {
        const auto at = m_live.lower_bound(address);
        if (at == m_live.begin()) return;
        const uint32_t before = std::prev(at)->second;
        if ((m_blocks.flags[before] & blockFlag::kSizeGuessed) == 0 || endOf(before) > address ||
            address - endOf(before) > kLargestSmall_bytes) {
            return;
        }
        const SegmentLife* const segment = m_segments.at(m_blocks.address[before]);
        if (segment == nullptr || address >= segment->end()) return;
        m_blocks.size_bytes[before] = address - m_blocks.address[before];
        m_blocks.flags[before] &= static_cast<uint8_t>(~blockFlag::kSizeGuessed);
    }

    // Handles blocks in [address, address + size). A block that is known only from the dump is newer than the
    // history and is removed. If the other block is also from the history, the file contradicts itself, and
    // both blocks remain.
    void clear(uint32_t life, uint64_t address, uint64_t size)
    {
        auto at = m_live.lower_bound(address);
        if (at != m_live.begin() && endOf(std::prev(at)->second) > address) --at;
        bool isNoted = false;
        while (at != m_live.end() && at->first - std::min(address, at->first) < size) {
            const uint32_t other = at->second;
            const bool onlyInDump =
                m_blocks.isPreexisting(other) && m_blocks.isNeverFreed(other) &&
                (m_blocks.freeRequested[other] == 0 || m_blocks.freeRequested[other] == kNeverFreed);
            if (onlyInDump) {
                m_late.push_back(other);
                at = m_live.erase(at);
                continue;
            }
            if (!isNoted) noteOverlap(life);
            isNoted = true;
            break; // one contradiction is enough
        }
    }

    void noteOverlap(uint32_t life)
    {
        m_notes.add("memory.blocks_overlap", NoteSeverity::warning,
                    "a block was allocated in memory that another block occupies; both are shown",
                    "address " + std::to_string(m_blocks.address[life]));
    }

    const AllocatorRules& m_rules;
    ReservedSegments m_segments;
    PairedBlocks& m_paired;
    BlockLifeTable& m_blocks;
    ImportNotes& m_notes;
    std::map<uint64_t, uint32_t> m_live; // address -> life
    std::vector<uint32_t> m_late;
    MemoryMoment m_now = 0;
};

template<class Column>
void dropRows(Column& column, const std::vector<uint32_t>& placeOf)
{
    size_t kept = 0;
    for (size_t row = 0; row < column.size(); ++row) {
        if (placeOf[row] != kNoLife) column[kept++] = column[row];
    }
    column.resize(kept);
}

// Removes rows that no entry refers to.
void leaveOut(PairedBlocks& paired, const std::vector<uint32_t>& late)
{
    std::vector<uint32_t> placeOf(paired.blocks.size(), 0);
    for (const uint32_t life : late)
        placeOf[life] = kNoLife;
    uint32_t place = 0;
    for (uint32_t& row : placeOf) {
        if (row != kNoLife) row = place++;
    }
    BlockLifeTable& b = paired.blocks;
    dropRows(b.address, placeOf);
    dropRows(b.requested_bytes, placeOf);
    dropRows(b.size_bytes, placeOf);
    dropRows(b.born, placeOf);
    dropRows(b.freeRequested, placeOf);
    dropRows(b.freed, placeOf);
    dropRows(b.stack, placeOf);
    dropRows(b.dumpBlock, placeOf);
    dropRows(b.flags, placeOf);
    for (uint32_t& life : paired.lifeOf) {
        if (life != kNoLife) life = placeOf[life];
    }
    for (auto& [moment, life] : paired.impliedFrees)
        life = placeOf[life];
    std::erase_if(paired.annotations, [&](const auto& text) { return placeOf[text.first] == kNoLife; });
    for (auto& [life, text] : paired.annotations)
        life = placeOf[life];
}

} // namespace

void findBlockSizes(const AllocatorRules& rules, const SegmentHistory& segments, PairedBlocks& paired,
                    ImportNotes& notes, ReplayWatch& watch)
{
    SizeWalk walk(rules, segments, paired, notes);
    walk.walk(watch);
    if (walk.late().empty()) return;
    notes.add("memory.later_than_history", NoteSeverity::warning,
              "a block in the dump overlaps memory that the history allocates to other blocks; it must have "
              "been allocated after the last entry (the file is truncated, or old entries were dropped), so "
              "it was skipped",
              "address " + std::to_string(paired.blocks.address[walk.late().front()]), walk.late().size());
    leaveOut(paired, walk.late());
}

} // namespace lockstep
