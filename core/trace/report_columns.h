// SPDX-License-Identifier: Apache-2.0
// Defines the columns of a report's large tables in one place: name, unit, meaning. Memory accounting,
// freezing, storage, checks, documentation and queries use this list, so a column added here is added
// everywhere. Pure; any thread.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "core/trace/report.h"

namespace lockstep {

// Relation between neighboring rows, which determines the best encoding.
enum class ColumnOrder : uint8_t {
    any,
    rising, // the difference from the previous row is usually small
    nearRow // the ID of a nearby row, or none
};

struct ColumnFacts {
    std::string_view name; // table and column: "slice.start"
    std::string_view unit; // "ns", "bytes"; empty for IDs, enumerators and rows with several fields
    std::string_view meaning;
    ColumnOrder order = ColumnOrder::any;
    bool mayBeAbsent = false; // true if the column may be missing from a stored file; it is then empty
};

// One field of a column whose rows have several fields.
struct RowField {
    std::string_view name;
    std::string_view type; // as returned by columnType()
    std::string_view unit;
    std::string_view meaning;
    size_t offset_bytes = 0; // offset within the row
    size_t size_bytes = 0;
};

// Returns the fields of a row in memory order; empty for plain values.
std::span<const RowField> fieldsOf(const Link*);
std::span<const RowField> fieldsOf(const MemoryOp*);
std::span<const RowField> fieldsOf(const CollectiveOp*);
std::span<const RowField> fieldsOf(const FactRow*);
std::span<const RowField> fieldsOf(const FactValue*);
std::span<const RowField> fieldsOf(const ClockRound*);
std::span<const RowField> fieldsOf(const Sample*);
std::span<const RowField> fieldsOf(const SampleSpan*);
std::span<const RowField> fieldsOf(const WeightUpdate*);
std::span<const RowField> fieldsOf(const StepValue*);
std::span<const RowField> fieldsOf(const ReplicaGpu*);
std::span<const RowField> fieldsOf(const void*);

// Returns "i64", "u32" or "f64": signed, unsigned or floating point, followed by the number of bits. IDs and
// enumerators are unsigned numbers.
template<class T>
constexpr std::string_view valueType()
{
    if constexpr (std::is_enum_v<T>) {
        return valueType<std::underlying_type_t<T>>();
    } else if constexpr (std::is_floating_point_v<T>) {
        static_assert(sizeof(T) == 8);
        return "f64";
    } else if constexpr (std::is_signed_v<T> && std::is_integral_v<T>) {
        return sizeof(T) == 8 ? "i64" : sizeof(T) == 4 ? "i32" : sizeof(T) == 2 ? "i16" : "i8";
    } else {
        return sizeof(T) == 16  ? "u64[2]"
               : sizeof(T) == 8 ? "u64"
               : sizeof(T) == 4 ? "u32"
               : sizeof(T) == 2 ? "u16"
               : sizeof(T) == 1 ? "u8"
                                : "row"; // see rowType()
    }
}

// Clears the padding bytes in rows, so that equal rows have equal bytes.
void clearPadding(std::span<const RowField> fields, size_t row_bytes, std::span<std::byte> rows);

// Returns the type of rows with several fields: "12 bytes: cause u32 at 0, effect u32 at 4, kind u8 at 8".
std::string rowType(std::span<const RowField> fields, size_t row_bytes);

template<class T>
std::string columnType()
{
    const std::span<const RowField> fields = fieldsOf(static_cast<const T*>(nullptr));
    return fields.empty() ? std::string(valueType<T>()) : rowType(fields, sizeof(T));
}

// Returns the row size in bytes of a columnType(), or 0 if `type` is not a column type.
size_t rowBytesOf(std::string_view type);

struct SliceColumns {
    // Calls visit(facts, column) for each column of a (const) SliceTable.
    template<class Table, class Visit>
    static void visit(Table& table, Visit&& visit)
    {
        auto& [start, duration, source, name, parent, depth, kind, category, flags] = table;
        using enum ColumnOrder;
        visit(ColumnFacts{"slice.start", "ns", "start of the slice, on the report's clock", rising}, start);
        visit(ColumnFacts{"slice.duration", "ns", "length of the slice; never negative"}, duration);
        visit(ColumnFacts{"slice.source", "",
                          "position in the file: 8 bits for the table, 56 bits for the row or byte", rising},
              source);
        visit(ColumnFacts{"slice.name", "", "a string; for kernels the full (demangled) name"}, name);
        visit(ColumnFacts{"slice.parent", "",
                          "innermost slice of the same track that contains this slice; all bits set if none",
                          nearRow},
              parent);
        visit(ColumnFacts{"slice.depth", "", "row within the track; slices of one depth never overlap"},
              depth);
        visit(ColumnFacts{"slice.kind", "", "RowKind, as recorded in the file"}, kind);
        visit(ColumnFacts{"slice.category", "", "SliceCategory: color and position in the legend"}, category);
        visit(ColumnFacts{"slice.flags", "",
                          "sliceFlag: 1 instant, 2 open at the end, 4 a timestamp was repaired"},
              flags);
    }
};

struct CounterColumns {
    template<class Table, class Visit>
    static void visit(Table& table, Visit&& visit)
    {
        auto& [time, value] = table;
        visit(
            ColumnFacts{"counter.time", "ns", "time of a sample, on the report's clock", ColumnOrder::rising},
            time);
        visit(ColumnFacts{"counter.value", "", "value of a sample, in the unit of its track"}, value);
    }
};

// Most reports have no samples, so all of these columns may be absent.
struct SampleColumns {
    template<class Tables, class Visit>
    static void visit(Tables& tables, Visit&& visit)
    {
        auto& [samples, spans, bySample, weightUpdates, stepValues, replicaGpus] = tables;
        using enum ColumnOrder;
        visit(ColumnFacts{"sample", "", "samples and requests, in file order", any, true}, samples);
        visit(ColumnFacts{"sample.span", "", "what a slice is about in its sample, sorted by slice", rising,
                          true},
              spans);
        visit(ColumnFacts{"sample.spansBySample", "", "rows of sample.span, sorted by sample", nearRow, true},
              bySample);
        visit(ColumnFacts{"weightUpdate", "", "updates of the weights of rollout engines, sorted by slice",
                          rising, true},
              weightUpdates);
        visit(ColumnFacts{"stepValue", "", "values of steps without a time, in file order", any, true},
              stepValues);
        visit(ColumnFacts{"replicaGpu", "", "the GPUs of replicas, in file order", any, true}, replicaGpus);
    }
};

// Calls visit(facts, column) for each column of all tables of a (const) Report.
struct ReportColumns {
    template<class AnyReport, class Visit>
    static void visit(AnyReport& report, Visit&& visit)
    {
        using enum ColumnOrder;
        SliceColumns::visit(report.slices, visit);
        CounterColumns::visit(report.counters, visit);
        auto& links = report.links;
        visit(ColumnFacts{"link", "", "cause and effect, sorted", rising}, links.m_links);
        visit(ColumnFacts{"link.byEffect", "", "rows of link, sorted by effect", rising}, links.m_byEffect);
        visit(ColumnFacts{"memoryOp", "", "copies and memsets, sorted by slice", rising}, report.memoryOps);
        visit(ColumnFacts{"collective", "", "communication details of rows, sorted by slice", rising},
              report.collectives);
        visit(ColumnFacts{"fact.row", "", "correlation ID and further details of a slice, sorted by slice",
                          rising, true},
              report.rowFacts.rows);
        visit(ColumnFacts{"fact.value", "", "the distinct sets of further details", any, true},
              report.rowFacts.values);
        SampleColumns::visit(report.samples, visit);
    }
};

} // namespace lockstep
