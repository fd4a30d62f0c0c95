// SPDX-License-Identifier: Apache-2.0
// RowFacts: what a file says of GPU work and CUDA calls that a report's columns do not keep, a page of rows
// at a time, and RowFactReader, which reads them again from the file. A format that can has a row_facts.cpp
// and names it in its Reader; the registry hands it to the reports. A value; a reader belongs to one thread
// at a time.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/progress.h"
#include "core/trace/report.h"

namespace lockstep {

// As nsys names and numbers them. Sizes are in bytes.
enum class RowFact : uint8_t {
    correlation,
    context, // CUDA's, also of work of a green context
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
    sourceKind,      // MemoryKind of a copy's source, or of what a memset fills
    destinationKind, // MemoryKind of a copy's destination
    size,            // of a copy or memset
    result,          // of a call
    priority,        // of the thread of a call
    address,         // virtual address of what a migration moved or a page fault was at
    faults,          // page faults that a row stands for
    bandwidth,       // of a copy or memset, bytes a second, measured finer than the row's stamps
    mangledName,     // of a kernel, a text: see RowFacts::text
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

// 8 bytes a row and wanted fact.
class RowFacts {
  public:
    explicit RowFacts(RowFactSet wanted) : m_wanted(wanted) {}

    RowFactSet wanted() const { return m_wanted; }
    // Forgets all; then there are `rows` rows of which nothing is known.
    void reset(size_t rows);
    // Facts that are not wanted are passed over.
    void set(size_t row, RowFact fact, int64_t value);
    void setText(size_t row, RowFact fact, std::string_view text);

    // Absent where the file does not say: never 0 for that.
    std::optional<int64_t> number(size_t row, RowFact fact) const;
    // Empty where the file does not say.
    std::string_view text(size_t row, RowFact fact) const;

  private:
    RowFactSet m_wanted;
    std::vector<std::vector<int64_t>> m_values = std::vector<std::vector<int64_t>>(size_t(RowFact::count));
    StringPool m_texts;
};

class RowFactReader {
  public:
    virtual ~RowFactReader() = default;

    // The wanted facts of rows of the report that the reader is of: facts.reset() and then what the file says
    // of row rows[i] at i. One pass over the part of the file they lie in, whatever their order; so many rows
    // at once is better, at 8 bytes each and fact. corrupt, notFound: the file is not the one that was read;
    // canceled.
    virtual Status read(std::span<const SliceId> rows, RowFacts& facts, const Progress& progress) = 0;
};

// Of a report, which must outlive the reader, from the file that it was read from. unsupported: its format
// says no more than the columns. notFound, corrupt, io: the file is not there any more, or is another one.
Result<std::unique_ptr<RowFactReader>> openRowFacts(const Report& report);

} // namespace lockstep
