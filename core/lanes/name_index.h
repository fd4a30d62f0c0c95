// SPDX-License-Identifier: Apache-2.0
// NameIndex: in which blocks of a report's slices a name occurs, and how often before each, so that the
// slices of some names are counted, and the next one is found, without a look at all of them. Made with the
// rest of a report's LOD, immutable; any thread. 8 bytes for each name in each block that has it: next to
// nothing where names repeat, 8 bytes a slice where none does.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/trace/report.h"

namespace lockstep {

// Some names of a report.
class NameSet {
  public:
    NameSet() = default;
    explicit NameSet(std::vector<StringId> names, size_t texts);

    bool has(StringId name) const { return m_has[name.value] != 0; }
    std::span<const StringId> names() const { return m_names; }

  private:
    std::vector<uint8_t> m_has; // by StringId
    std::vector<StringId> m_names;
};

class NameIndex {
  public:
    NameIndex() = default;
    explicit NameIndex(const Report& report); // O(slices)

    // How many slices are called so, and how many of them are rows before `row`. O(names).
    uint64_t count(const NameSet& names) const;
    uint64_t countBefore(const Report& report, const NameSet& names, uint32_t row) const;
    // The first of them that is at or behind `row`; the last of them before it. O(names).
    std::optional<SliceId> firstFrom(const Report& report, const NameSet& names, uint32_t row) const;
    std::optional<SliceId> lastBefore(const Report& report, const NameSet& names, uint32_t row) const;

    // By block of slices: whether any of these names occurs there. O(blocks that each name is in).
    std::vector<bool> blocksWith(const NameSet& names) const;

    size_t residentBytes() const;

    static constexpr uint32_t kBlock = 4'096; // slices

  private:
    struct Entry {
        uint32_t block;
        uint32_t before; // slices of this name in the blocks before
    };

    std::span<const Entry> entriesOf(StringId name) const;

    std::vector<size_t> m_first;    // by StringId, into m_entries; one more than names
    std::vector<uint32_t> m_counts; // slices, by StringId
    Column<Entry> m_entries;        // of each name in the order of blocks
};

} // namespace lockstep
