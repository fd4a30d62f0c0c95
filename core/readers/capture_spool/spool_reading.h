// SPDX-License-Identifier: Apache-2.0
// SpoolReading: what the parts that read a spool share: the report under way, the current block and thread,
// rows and notes. One worker's.
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
    const SpoolRecords* records = nullptr;        // of the current block
    uint64_t block = 0;                           // its place in the file
    int64_t last_ns = INT64_MIN;                  // latest stamp so far
    std::unordered_map<uint64_t, StringId> names; // of the current block's texts

    // A block is at most 16 MB, so a record's number fits.
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
    // Adds a slice where its stamps can be; else it is counted as lost.
    bool add(TrackId track, const SliceRow& row)
    {
        if (!isPlausible(row.start_ns, row.duration_ns)) {
            note("spool.impossible_time", NoteSeverity::dataLoss, "rows whose times cannot be; not shown");
            return false;
        }
        ++counts[row.kind];
        batch.add(track, row);
        last_ns = std::max(last_ns, row.start_ns + row.duration_ns);
        return true;
    }
};

} // namespace lockstep
