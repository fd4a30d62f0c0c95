// SPDX-License-Identifier: Apache-2.0
// RowFacts: details of GPU work, CUDA calls, page faults and instants of requests beyond the columns of a
// slice, such as the launch configuration of a kernel. Nearly all rows repeat the details of other rows, so a
// report stores each set of details once (`values`) and 12 bytes per row (`rows`). Readers number the sets in
// a FactSets while they read; ReportFreezer makes the RowFactTable. Immutable afterwards; any thread.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/column.h"
#include "core/base/ids.h"
#include "core/base/string_pool.h"

namespace lockstep {

inline constexpr uint32_t kNoCorrelation = 0xFFFFFFFFu;

// Names and numbering as in nsys. Sizes are in bytes.
enum class RowFact : uint8_t {
    correlation, // only in sets of rows whose ID does not fit into FactRow::correlation
    context,     // CUDA context, including contexts of work in a green context
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
    result,          // return value of a call
    priority,        // priority of the thread that made the call
    address,         // virtual address of a migration or page fault
    faults,          // number of page faults that a row represents
    // bandwidth of a copy or memset in bytes per second, measured more precisely than the timestamps
    bandwidth,
    mangledName, // mangled name of a GPU kernel: a StringId of the report
    // The batch that an inference server ran, for an instant in each of its requests. Instants with equal
    // batch, forwardMode, threadHost and thread are about the same batch.
    batch,       // the server's id of the batch: a StringId
    forwardMode, // "prefill", "decode" ...: a StringId
    batchSize,   // requests in the batch
    threadHost,  // the server's id of the host (/etc/machine-id for SGLang): a StringId
    thread,      // native id of the scheduler's thread
    count
};

// Returns whether the value of a fact is a StringId.
constexpr bool isTextFact(RowFact fact)
{
    return fact == RowFact::mangledName || fact == RowFact::batch || fact == RowFact::forwardMode ||
           fact == RowFact::threadHost;
}

struct FactValue {
    int64_t value;
    RowFact fact;
    bool isLast; // true for the last value of a set

    friend auto operator<=>(const FactValue&, const FactValue&) = default;
};

// The details of one row. 12 bytes.
struct FactRow {
    static constexpr uint32_t kNoValues = 0xFFFFFFFFu;

    SliceId slice;
    uint32_t correlation = kNoCorrelation; // CUPTI correlation ID as recorded in the file
    uint32_t firstValue = kNoValues;       // index of the set's first value in RowFactTable::values

    friend bool operator==(const FactRow&, const FactRow&) = default;
};

// FactList collects the details of one row. A fact that is set twice has the later value.
class FactList {
  public:
    FactList() {} // leaves the values uninitialized, because readers create one list per row

    void set(RowFact fact, int64_t value)
    {
        const uint32_t bit = uint32_t(1) << static_cast<unsigned>(fact);
        if ((m_known & bit) != 0) return replace(fact, value);
        m_known |= bit;
        m_values[m_count++] = {value, fact, false};
    }
    void set(RowFact fact, std::optional<int64_t> value)
    {
        if (value) set(fact, *value);
    }
    bool empty() const { return m_count == 0; }
    std::span<const FactValue> values() const { return {m_values.data(), m_count}; }

  private:
    void replace(RowFact fact, int64_t value);

    uint32_t m_known = 0; // one bit per fact
    uint32_t m_count = 0;
    std::array<FactValue, static_cast<size_t>(RowFact::count)> m_values;
};
static_assert(static_cast<size_t>(RowFact::count) <= 32);

// FactSetTable numbers the distinct sets of values from 0 in order of arrival. One thread.
class FactSetTable {
  public:
    FactSetTable();

    struct Found {
        uint32_t number = 0;
        bool isNew = false;
    };
    Found findOrAdd(std::span<const FactValue> set);
    size_t size() const { return m_begins.size() - 1; }
    std::span<const FactValue> set(size_t number) const
    {
        return std::span(m_values).subspan(m_begins[number], m_begins[number + 1] - m_begins[number]);
    }

  private:
    void grow();

    std::vector<FactValue> m_values;
    std::vector<uint64_t> m_hashes;  // by set
    std::vector<uint32_t> m_begins;  // by set: index in m_values; one more entry than sets
    std::vector<uint32_t> m_buckets; // number of the set + 1; 0 if free. The size is a power of two.
};

// FactSets numbers the sets of all workers of a reader from 1. Thread-safe.
class FactSets {
  public:
    // A slice that is being collected has 24 bits for the number of its set (SliceRow::factSet()).
    static constexpr uint32_t kMaxSets = 0xFFFFFF;

    // Lowers the limit of the number of sets, which is kMaxSets.
    void setLimit(uint32_t sets) { m_limit = sets; }
    // Returns the number of a set. Returns 0 and drops the set if the limit is reached.
    uint32_t number(std::span<const FactValue> set);
    // Returns the number of dropped sets; a set that several workers found counts once for each of them.
    uint64_t dropped() const { return m_dropped; }
    // Returns all sets. Call it after the workers have finished.
    const FactSetTable& table() const { return m_table; }

  private:
    std::mutex m_mutex;
    FactSetTable m_table;
    uint32_t m_limit = kMaxSets;
    uint64_t m_dropped = 0;
};

// FactNumbers is the view of one worker on a FactSets: takes its lock once per set, not once per row.
class FactNumbers {
  public:
    // `sets` must outlive this object.
    explicit FactNumbers(FactSets& sets) : m_sets(sets) {}

    uint32_t number(const FactList& facts)
    {
        const auto [own, isNew] = m_own.findOrAdd(facts.values());
        if (isNew) m_numbers.push_back(m_sets.number(facts.values()));
        return m_numbers[own];
    }

  private:
    FactSets& m_sets;
    FactSetTable m_own;
    std::vector<uint32_t> m_numbers; // by number in m_own
};

// The details of one row of a report. A view; the report must outlive it.
class RowFacts {
  public:
    RowFacts() = default; // nothing is known
    RowFacts(const FactRow& row, const FactValue* first, const StringPool& strings)
        : m_correlation(row.correlation), m_first(first), m_strings(&strings)
    {
    }

    // Returns the value of a fact; nullopt, never 0, if the file does not record it.
    std::optional<int64_t> number(RowFact fact) const;
    // Returns the value of a fact that is a string; empty if the file does not record it.
    std::string_view text(RowFact fact) const;

  private:
    uint32_t m_correlation = kNoCorrelation;
    const FactValue* m_first = nullptr;
    const StringPool* m_strings = nullptr;
};

struct RowFactTable {
    Column<FactRow> rows;     // sorted by slice
    Column<FactValue> values; // the distinct sets, in the order of the first rows; each ends with isLast

    // Returns the details of a slice. O(log rows).
    RowFacts of(SliceId slice, const StringPool& strings) const;
    // Returns true if every row refers to a set of known facts and to a slice below `slices`, in order.
    bool holds(size_t slices, size_t strings) const;
};

} // namespace lockstep
