// SPDX-License-Identifier: Apache-2.0
// LatestJob: work of which only the newest request counts, e.g. a table that follows the visible range.
// Belongs to the UI thread; the work runs on a thread of its own pool and its outcome is handed back on the
// UI thread. A new request asks the running one to stop and drops whatever it still yields.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <stop_token>
#include <string>
#include <utility>

#include <QObject>
#include <QThreadPool>

#include "core/base/progress.h"
#include "ui/async/handover.h"

namespace lockstep {

// Calls work and turns what a library throws into an Error: the edge behind which exceptions do not pass.
template<class T, class Work>
Result<T> guardedResult(const Work& work)
{
    try {
        return work();
    } catch (const std::bad_alloc&) {
        return makeError(ErrorKind::io, "not enough memory; open fewer reports at once");
    } catch (const std::exception& thrown) {
        return makeError(ErrorKind::corrupt, thrown.what());
    }
}

template<class T>
class LatestJob {
  public:
    using Work = std::function<Result<T>(const Progress&)>;
    using Done = std::function<void(Result<T>)>;

    // done is called on the UI thread, once for each request that no later one has outdated. workers: what
    // the work has beside its own thread; none for work of one thread.
    explicit LatestJob(Done done, Workers workers = {})
        : m_done(std::move(done)), m_workers(std::move(workers))
    {
        m_pool.setMaxThreadCount(2);
    }
    LatestJob(const LatestJob&) = delete;
    LatestJob& operator=(const LatestJob&) = delete;
    // Asks the work to stop and blocks until it has; done is not called any more.
    ~LatestJob() { cancel(); }

    void start(Work work)
    {
        cancel();
        m_stop = std::stop_source();
        m_isRunning = true;
        const uint64_t request = m_request;
        const auto run = [work = std::move(work), stop = m_stop.get_token(),
                          workers = m_workers]() -> Result<T> {
            if (stop.stop_requested()) return makeError(ErrorKind::canceled, "canceled");
            return guardedResult<T>([&] { return work(Progress(stop, {}, workers)); });
        };
        m_handover.run(m_pool, run,
                       [this, request](Result<T> outcome) { take(request, std::move(outcome)); });
    }
    // The newest request is dropped; done will not be called for it.
    void cancel()
    {
        m_stop.request_stop();
        ++m_request;
        m_isRunning = false;
    }
    bool isRunning() const { return m_isRunning; }

  private:
    void take(uint64_t request, Result<T> outcome)
    {
        if (request != m_request) return;
        m_isRunning = false;
        m_done(std::move(outcome));
    }

    Done m_done;
    Workers m_workers;
    std::stop_source m_stop;
    uint64_t m_request = 0;
    bool m_isRunning = false;
    QObject m_receiver;
    Handover m_handover{m_receiver};
    QThreadPool m_pool; // last: its destructor joins the work before the receiver goes
};

} // namespace lockstep
