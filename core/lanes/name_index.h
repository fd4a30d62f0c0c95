// SPDX-License-Identifier: Apache-2.0
// NameIndex: for each name in a report, the blocks of slices that contain it, with the number of occurrences
// in earlier blocks. The index makes it possible to count the slices with certain names, and to find the next
// one, without scanning all slices. Takes 8 bytes per name and block that contains the name. This is very
// little if names repeat, and 8 bytes per slice if no name does. Built with the other levels of detail of a
// report. Immutable. Thread: any.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/trace/report.h"

namespace lockstep {

// A set of names in a report.
class NameSet {
  public:
    NameSet() = default;
    explicit NameSet(std::vector<StringId> names, size_t texts);

    bool has(StringId name) const { return m_has[name.value] != 0; }
    std::span<const StringId> names() const { return m_names; }

  private:
    std::vector<uint8_t> m_has; // by StringId: nonzero if the name is in the set
    std::vector<StringId> m_names;
};

class NameIndex {
  public:
    NameIndex() = default;
    explicit NameIndex(const Report& report); // Builds the index. O(slices).

    // Returns the number of slices with these names, in total or before `row`. O(names).
    uint64_t count(const NameSet& names) const;
    uint64_t countBefore(const Report& report, const NameSet& names, uint32_t row) const;
    // Returns the first slice with one of these names at or after `row`, or the last one before `row`.
    // O(names).
    std::optional<SliceId> firstFrom(const Report& report, const NameSet& names, uint32_t row) const;
    std::optional<SliceId> lastBefore(const Report& report, const NameSet& names, uint32_t row) const;

    // Returns, by block of slices, whether any of these names occurs. O(blocks that contain the names).
    std::vector<bool> blocksWith(const NameSet& names) const;

    size_t residentBytes() const;

    static constexpr uint32_t kBlock = 4'096; // slices per block

  private:
    struct Entry {
        uint32_t block;
        uint32_t before; // number of slices with this name in earlier blocks
    };

    std::span<const Entry> entriesOf(StringId name) const;

    std::vector<size_t> m_first;    // by StringId: index in m_entries; one more entry than there are names
    std::vector<uint32_t> m_counts; // number of slices, by StringId
    Column<Entry> m_entries;        // entries of each name, in block order
};

} // namespace lockstep
