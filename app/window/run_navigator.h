// SPDX-License-Identifier: Apache-2.0
// RunNavigator leads from the Run page to the timeline and back: from a log line to its time, from a rank to
// its last slice, and from a slice to the log of its host. UI thread.
#pragma once

#include <cstdint>
#include <string>

#include <QObject>

#include "app/window/window_parts.h"
#include "core/base/ids.h"
#include "core/base/time.h"

class QMenu;

namespace lockstep {

class RunController;
class RunPage;
class TimelinePageController;
struct LedgerEntry;

class RunNavigator : public QObject {
    Q_OBJECT

  public:
    // Construct after the pages; they are destroyed first.
    explicit RunNavigator(const WindowParts& parts, QObject* parent = nullptr);

    // Shows a time of the host's log on the timeline. time_ns: Unix epoch, clock of the host.
    void showTime(const std::string& host, int64_t time_ns);
    // Selects the last slice of the rank on the timeline. Returns false, and does nothing, if no report of
    // the rank is shown there.
    bool showRank(const std::string& host, int64_t rank);

  private:
    // Shows the log of the selected slice's host at the time under the cursor, or else at the slice's begin.
    void showLogOfSlice();
    // Adds to the menu of a lane. `lane`: the lane's key.
    void offerLog(const std::string& lane, QMenu& menu);
    // Shows the log at the last record of the lane's process, or at the logged cause if it was the first on
    // its host to fail.
    void showLogOfLane(const std::string& lane);
    void showLog(ReportKey report, TraceTime aligned);
    // Returns the position in Run::hosts() of the host on which the report was recorded.
    std::optional<size_t> hostOf(ReportKey report) const;
    // Shows the first line of the host at this time (Unix epoch ns) or later that contains the text.
    void showLine(size_t host, int64_t time_ns, std::string_view text);
    void showEntry(const LedgerEntry& entry);

    WindowParts m_parts;
    TimelinePageController& m_timeline;
    RunPage& m_page;
    RunController& m_runs;
};

} // namespace lockstep
