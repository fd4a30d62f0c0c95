// SPDX-License-Identifier: Apache-2.0
// RowFacts: details of GPU work and CUDA calls that are in the file but not in the report's columns, for one
// page of rows at a time. RowFactReader reads them from the file. Formats with such details have a
// row_facts.cpp, which their Reader specifies; the registry passes it to the reports. RowFacts is a value
// type; a reader belongs to one thread at a time.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/progress.h"
#include "core/trace/report.h"

namespace lockstep {

// Names and numbering as in nsys. Sizes are in bytes.
enum class RowFact : uint8_t {
    correlation,
    context, // CUDA context, including contexts of work in a green context
    gridX,
    gridY,
    gridZ,
    blockX,
    blockY,
    blockZ,
    registers,
    staticShared,
    dynamicShared,
    graphNode,
    sourceKind,      // MemoryKind of the source of a copy, or of the target of a memset
    destinationKind, // MemoryKind of the destination of a copy
    size,            // size of a copy or memset
    result,          // return value of a call
    priority,        // priority of the thread that made the call
    address,         // virtual address of a migration or page fault
    faults,          // number of page faults that a row represents
    // bandwidth of a copy or memset in bytes per second, measured more precisely than the timestamps
    bandwidth,
    mangledName, // mangled name of a GPU kernel, as a string: see RowFacts::text
    count
};

using RowFactSet = uint32_t;
static_assert(static_cast<size_t>(RowFact::count) <= 32);

constexpr RowFactSet rowFacts(std::initializer_list<RowFact> facts)
{
    RowFactSet set = 0;
    for (const RowFact fact : facts)
        set |= RowFactSet(1) << static_cast<unsigned>(fact);
    return set;
}
constexpr bool holds(RowFactSet set, RowFact fact)
{
    return (set >> static_cast<unsigned>(fact) & 1) != 0;
}

// RowFacts takes 8 bytes per row and requested fact.
class RowFacts {
  public:
    explicit RowFacts(RowFactSet wanted) : m_wanted(wanted) {}

    RowFactSet wanted() const { return m_wanted; }
    // Clears everything and sets the number of rows; afterwards, all facts are unknown.
    void reset(size_t rows);
    // Sets a fact of a row. Facts that were not requested are ignored.
    void set(size_t row, RowFact fact, int64_t value);
    void setText(size_t row, RowFact fact, std::string_view text);

    // Returns the value of a fact; nullopt, never 0, if the file does not record it.
    std::optional<int64_t> number(size_t row, RowFact fact) const;
    // Returns the value of a fact that is a string; empty if the file does not record it.
    std::string_view text(size_t row, RowFact fact) const;

  private:
    RowFactSet m_wanted;
    std::vector<std::vector<int64_t>> m_values = std::vector<std::vector<int64_t>>(size_t(RowFact::count));
    StringPool m_texts;
};

class RowFactReader {
  public:
    virtual ~RowFactReader() = default;

    // Reads the requested facts. Resets `facts`, and sets entry i from row rows[i] of the reader's report.
    // The rows may be in any order. The part of the file that contains them is read in one pass, so large
    // batches are faster per row. Returns corrupt or notFound if the file is not the one that was read, or
    // canceled.
    virtual Status read(std::span<const SliceId> rows, RowFacts& facts, const Progress& progress) = 0;
};

// Opens the file from which a report was read. The report must outlive the reader. Returns unsupported if the
// format has no further details, and notFound, corrupt or io if the file no longer exists or has changed.
Result<std::unique_ptr<RowFactReader>> openRowFacts(const Report& report);

} // namespace lockstep
