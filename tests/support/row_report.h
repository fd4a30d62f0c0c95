// SPDX-License-Identifier: Apache-2.0
// RowReport is a small report written row by row: NVTX ranges, operators, calls and the GPU work that they
// launch, of one process with one device. Rows are numbered from 1 in order of addition. For tests of
// analyses.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <tuple>

#include "core/trace/report_builder.h"
#include "core/trace/workspace.h"

namespace lockstep::test {

class RowReport {
  public:
    explicit RowReport(const char* path = "made.sqlite");

    // Times are in ns on the clock of the report: [start, end).
    void range(const char* name, int64_t start, int64_t end, int64_t domain = 0, bool isStartEnd = false);
    // Adds a start/end range that was never closed: the reader lets it end at `last`.
    void openRange(const char* name, int64_t start, int64_t last);
    // Adds many ranges of the default domain: {name, start, end}.
    void ranges(std::span<const std::tuple<const char*, int64_t, int64_t>> rows);
    void nameDomain(int64_t domain, const char* name);
    void op(int64_t tid, const char* name, int64_t start, int64_t end);
    // Adds a call that launches nothing.
    void call(const char* name, int64_t start, int64_t end, int64_t tid = 9);
    // Adds a call of 5 ns on a thread, and the kernel that it launches.
    void launch(const char* name, int64_t call, int64_t start, int64_t end, int64_t tid = 9);
    // Adds work without a call.
    void kernel(const char* name, int64_t start, int64_t end, SliceCategory category = SliceCategory::compute,
                int64_t stream = 7);

    // Sets the identity recorded in the file; absent values are not recorded. uuid: of its device.
    void identify(std::optional<int> rank, const char* role = "", std::optional<int> step = {},
                  const char* host = "", const char* uuid = "");
    // Sets the wall clock time of its time zero.
    void setUtc(int64_t utcAtZero_ns);
    Report& report() { return m_builder.report(); }

    // Returns it as the only report of a workspace. Call once, and not after finish().
    Workspace made();
    std::shared_ptr<const Report> finish();

  private:
    TrackKey trackOf(TrackKind kind, int64_t tid, int64_t lane = 0);
    SourceRow add(TrackKey track, RowKind kind, const char* name, int64_t start, int64_t end,
                  SliceCategory category = SliceCategory::other);
    SliceRow rowOf(RowKind kind, const char* name, int64_t start, int64_t end);

    ReportBuilder m_builder;
    ProcessId m_process;
    DeviceId m_device;
    uint64_t m_rows = 0;
};

} // namespace lockstep::test
