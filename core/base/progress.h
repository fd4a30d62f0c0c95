// SPDX-License-Identifier: Apache-2.0
// Progress: the context of a long-running job: stop requests, progress reports, worker threads, and the place
// for its results. Created by the code that starts the job (a window, the command line, a test), passed by
// reference, and safe to use from several workers of one job.
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>

#include "core/base/column_place.h"
#include "core/base/result.h"
#include "core/base/workers.h"

namespace lockstep {

class Progress {
  public:
    // Progress callback. report(done, total) is called often, from any worker thread, so it must be cheap and
    // thread-safe. Both arguments may be 0.
    using Report = std::function<void(uint64_t done, uint64_t total)>;

    Progress() = default;
    // If `workers` has no threads, the caller does all work.
    explicit Progress(std::stop_token stop, Report report = {}, Workers workers = {}, ColumnPlace place = {})
        : m_stop(std::move(stop)), m_report(std::move(report)), m_workers(std::move(workers)),
          m_place(std::move(place))
    {
    }
    // A job without stop requests or progress reports.
    explicit Progress(Workers workers) : m_workers(std::move(workers)) {}

    // Also true if the disk of place() is full; check() then returns the reason.
    bool isCanceled() const { return m_stop.stop_requested() || m_place.hasFailed(); }
    // Returns canceled once a stop was requested, and io once the disk of place() is full. Call it at least
    // every few milliseconds of work.
    Status check() const
    {
        if (m_stop.stop_requested()) return makeError(ErrorKind::canceled, "canceled");
        return m_place.status();
    }
    void report(uint64_t done, uint64_t total) const
    {
        if (m_report) m_report(done, total);
    }
    const std::stop_token& stopToken() const { return m_stop; }
    const Workers& workers() const { return m_workers; }
    // Storage for the report that is being read, and for data of similar size.
    const ColumnPlace& place() const { return m_place; }

  private:
    std::stop_token m_stop;
    Report m_report;
    Workers m_workers;
    ColumnPlace m_place;
};

} // namespace lockstep
