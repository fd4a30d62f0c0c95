// SPDX-License-Identifier: Apache-2.0
// Small reports created in memory, for tests of code that reads reports.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/trace/report_builder.h"
#include "core/trace/workspace.h"

namespace lockstep::test {

struct MadeReport {
    std::string path;
    int64_t pid = 0;
    std::vector<Fact> facts;
    std::vector<std::string> ranges; // names of NVTX ranges, 10 ns each, one after another
    std::optional<int64_t> utcAtZero_ns;
};

inline std::unique_ptr<Report> reportOf(const MadeReport& made)
{
    ReportBuilder builder;
    builder.report().provenance.path = made.path;
    builder.report().facts = made.facts;
    builder.report().clock.utcAtZero_ns = made.utcAtZero_ns;
    const ProcessId process = builder.process(static_cast<uint64_t>(made.pid), made.pid);
    const TrackId track =
        builder.track({TrackKind::nvtx, process, builder.thread(process, made.pid), {}, 0, 0});
    SliceBatch batch;
    for (size_t i = 0; i < made.ranges.size(); ++i) {
        SliceRow row;
        row.start_ns = static_cast<int64_t>(i) * 10;
        row.duration_ns = 10;
        row.source = SourceRow::of(0, i);
        row.name = builder.intern(made.ranges[i]);
        row.kind = RowKind::nvtxPushPop;
        batch.add(track, row);
    }
    builder.adopt(std::move(batch));
    return builder.freeze(Progress()).value();
}

// Returns a workspace of one report with that many ranges, with names in no order.
inline Workspace workspaceOfRanges(int ranges)
{
    std::vector<std::string> names;
    for (int i = 0; i < ranges; ++i)
        names.push_back("range " + std::to_string(i * 7919 % 100003));
    Workspace workspace;
    workspace.add(reportOf({"a.json", 1, {{"k", "v"}}, names, {}}));
    return workspace;
}

} // namespace lockstep::test
