// SPDX-License-Identifier: Apache-2.0
// Progress: how a long job is told to stop, tells how far it is, who works on it, and where what it makes
// goes. Made by whoever starts
// the job (a window, the command line, a test), passed by reference, safe to use from several workers of one
// job.
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
    // report(done, total) is called from any worker thread, often; it must be cheap and thread-safe. Both may
    // be 0.
    using Report = std::function<void(uint64_t done, uint64_t total)>;

    Progress() = default;
    // Without workers whoever calls works alone.
    explicit Progress(std::stop_token stop, Report report = {}, Workers workers = {}, ColumnPlace place = {})
        : m_stop(std::move(stop)), m_report(std::move(report)), m_workers(std::move(workers)),
          m_place(std::move(place))
    {
    }
    // A job that nobody stops or watches.
    explicit Progress(Workers workers) : m_workers(std::move(workers)) {}

    // Also where there is no room for what is made: check() says which.
    bool isCanceled() const { return m_stop.stop_requested() || m_place.hasFailed(); }
    // An error of kind canceled once a stop was requested, of kind io once the disk of place() is full. Call
    // it at least every few milliseconds of work.
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
    // Where a report that is read goes, and what is as large as it.
    const ColumnPlace& place() const { return m_place; }

  private:
    std::stop_token m_stop;
    Report m_report;
    Workers m_workers;
    ColumnPlace m_place;
};

} // namespace lockstep
