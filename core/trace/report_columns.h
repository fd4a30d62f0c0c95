// SPDX-License-Identifier: Apache-2.0
// The columns of a report's large tables, said once: name, unit, meaning. What memory they take, how they are
// frozen, stored, checked, documented and queried goes by this list; so a column that is added here is added
// everywhere. Pure; any thread.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "core/trace/report.h"

namespace lockstep {

// What neighbouring rows have to do with each other: how they are best stored.
enum class ColumnOrder : uint8_t {
    any,
    rising, // mostly: the difference to the row before is small
    nearRow // the id of a row nearby, or none
};

struct ColumnFacts {
    std::string_view name; // "slice.start": of which table, and what
    std::string_view unit; // "ns", "bytes"; empty for ids, numbers of a list and rows of several fields
    std::string_view meaning;
    ColumnOrder order = ColumnOrder::any;
    bool mayBeAbsent = false; // of a stored file: then it is empty
};

// One field of a column whose rows have several.
struct RowField {
    std::string_view name;
    std::string_view type; // as columnType()
    std::string_view unit;
    std::string_view meaning;
    size_t offset_bytes = 0; // in the row
    size_t size_bytes = 0;
};

// The fields of a row in the order they lie in it; none for plain values.
std::span<const RowField> fieldsOf(const Link*);
std::span<const RowField> fieldsOf(const MemoryOp*);
std::span<const RowField> fieldsOf(const CollectiveOp*);
std::span<const RowField> fieldsOf(const ClockRound*);
std::span<const RowField> fieldsOf(const void*);

// "i64", "u32", "f64": signed, unsigned or floating, and how many bits. An id or a choice is the unsigned
// number that it is.
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

// Bytes of a row that no field takes become zero, so that equal rows are equal bytes.
void clearGaps(std::span<const RowField> fields, size_t row_bytes, std::span<std::byte> rows);

// Of rows of several fields: "12 bytes: cause u32 at 0, effect u32 at 4, kind u8 at 8".
std::string rowType(std::span<const RowField> fields, size_t row_bytes);

template<class T>
std::string columnType()
{
    const std::span<const RowField> fields = fieldsOf(static_cast<const T*>(nullptr));
    return fields.empty() ? std::string(valueType<T>()) : rowType(fields, sizeof(T));
}

// How many bytes a row of a columnType() has; 0 where it is no such text.
size_t rowBytesOf(std::string_view type);

struct SliceColumns {
    // Calls visit(facts, column) for each column of a (const) SliceTable.
    template<class Table, class Visit>
    static void visit(Table& table, Visit&& visit)
    {
        auto& [start, duration, source, name, parent, depth, kind, category, flags] = table;
        using enum ColumnOrder;
        visit(ColumnFacts{"slice.start", "ns", "when it began, on the report's clock", rising}, start);
        visit(ColumnFacts{"slice.duration", "ns", "how long it took; never negative"}, duration);
        visit(ColumnFacts{"slice.source", "", "its place in the file: 8 bits a table, 56 bits a row or byte",
                          rising},
              source);
        visit(ColumnFacts{"slice.name", "", "a text: of kernels the full (demangled) name"}, name);
        visit(ColumnFacts{"slice.parent", "",
                          "the innermost slice of its track that contains it; none: all bits set", nearRow},
              parent);
        visit(ColumnFacts{"slice.depth", "", "drawing row in its track; slices of one depth never overlap"},
              depth);
        visit(ColumnFacts{"slice.kind", "", "RowKind: what the file calls it"}, kind);
        visit(ColumnFacts{"slice.category", "", "SliceCategory: its colour and its place in the legend"},
              category);
        visit(
            ColumnFacts{"slice.flags", "", "sliceFlag: 1 instant, 2 open at the end, 4 a stamp was repaired"},
            flags);
    }
};

struct CounterColumns {
    template<class Table, class Visit>
    static void visit(Table& table, Visit&& visit)
    {
        auto& [time, value] = table;
        visit(ColumnFacts{"counter.time", "ns", "of a sample, on the report's clock", ColumnOrder::rising},
              time);
        visit(ColumnFacts{"counter.value", "", "of a sample, in its track's unit"}, value);
    }
};

// The same for each column of all tables of a (const) Report.
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
        visit(ColumnFacts{"memoryOp", "", "what a copy or memset moved, sorted by slice", rising},
              report.memoryOps);
        visit(ColumnFacts{"collective", "", "what a row says of its communication, sorted by slice", rising},
              report.collectives);
    }
};

} // namespace lockstep
