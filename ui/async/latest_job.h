// SPDX-License-Identifier: Apache-2.0
// LatestJob runs work for which only the newest request matters, for example the computation of a table for
// the visible range. The object belongs to the UI thread; the work runs on a thread of its own pool, and the
// result is delivered on the UI thread. A new request cancels the running one and discards its result.
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

// Calls work() and converts library exceptions to an Error. No exception escapes this function.
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

    // `done` is called on the UI thread, once for each request that was not replaced by a later one.
    // `workers` are additional threads that the work may use; empty if the work is single-threaded.
    explicit LatestJob(Done done, Workers workers = {})
        : m_done(std::move(done)), m_workers(std::move(workers))
    {
        m_pool.setMaxThreadCount(2);
    }
    LatestJob(const LatestJob&) = delete;
    LatestJob& operator=(const LatestJob&) = delete;
    // Cancels the work and blocks until it has stopped. `done` is not called.
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
    // Cancels the newest request; `done` is not called for it.
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
    // Last member, because its destructor blocks until the work ends, before the receiver is destroyed.
    QThreadPool m_pool;
};

} // namespace lockstep
