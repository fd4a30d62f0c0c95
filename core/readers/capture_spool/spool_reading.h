// SPDX-License-Identifier: Apache-2.0
// SpoolReading: the state shared by the classes that read a capture: the report being built, the current
// block and thread, rows and notes. One worker.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>

#include "core/base/text.h"
#include "core/readers/capture_spool/spool_records.h"
#include "core/trace/report_builder.h"

namespace lockstep {

struct SpoolReading {
    explicit SpoolReading(ReportBuilder& into) : builder(into) {}

    ReportBuilder& builder;
    ProcessId process;
    SliceBatch batch;
    std::map<RowKind, uint64_t> counts;
    const SpoolRecords* records = nullptr;        // records of the current block
    uint64_t block = 0;                           // sequence number of that block in the file
    int64_t last_ns = INT64_MIN;                  // latest timestamp so far
    std::unordered_map<uint64_t, StringId> names; // IDs of the names in the current block

    // Returns the source row of a record. A block is at most 16 MB, so the record number fits.
    static SourceRow sourceOf(uint64_t block, uint64_t record)
    {
        return SourceRow::of(0, block << 28 | (record & 0xFFF'FFFF));
    }
    SourceRow source(const SpoolRecord& record) const { return sourceOf(block, record.number); }
    StringId name(uint64_t text)
    {
        const auto [entry, isNew] = names.try_emplace(text);
        if (isNew) entry->second = builder.intern(repairedUtf8(records->text(text)));
        return entry->second;
    }
    void note(std::string_view kind, NoteSeverity severity, std::string_view text, uint64_t count = 1)
    {
        builder.report().notes.add(kind, severity, text, "block " + std::to_string(block), count);
    }
    // Adds a slice if its timestamps are plausible; otherwise counts the slice as lost.
    bool add(TrackId track, const SliceRow& row)
    {
        if (!isPlausible(row.start_ns, row.duration_ns)) {
            note("spool.impossible_time", NoteSeverity::dataLoss, "rows with impossible times: not shown");
            return false;
        }
        ++counts[row.kind];
        batch.add(track, row);
        last_ns = std::max(last_ns, row.start_ns + row.duration_ns);
        return true;
    }
};

} // namespace lockstep
