// SPDX-License-Identifier: Apache-2.0
// Handover: how work on another thread hands its outcome to an object of the UI thread. Not QFuture::then():
// that of Qt 6.4 now and then runs what it was given twice, the second time on what the first has taken.
#pragma once

#include <memory>
#include <mutex>
#include <type_traits>
#include <utility>

#include <QMetaObject>
#include <QObject>
#include <QThreadPool>

namespace lockstep {

class Handover {
  public:
    // A member of `to`, or of what owns it. UI thread.
    explicit Handover(QObject& to) : m_to(std::make_shared<To>()) { m_to->object = &to; }
    Handover(const Handover&) = delete;
    Handover& operator=(const Handover&) = delete;
    // What is still worked on is handed to nobody.
    ~Handover()
    {
        const std::lock_guard lock(m_to->mutex);
        m_to->object = nullptr;
    }

    // work() runs on the pool; done(what it returned) on the UI thread, never from within run().
    template<class Work, class Done>
    void run(QThreadPool& pool, Work work, Done done)
    {
        pool.start([to = m_to, work = std::move(work), done = std::move(done)]() mutable {
            auto outcome = std::make_shared<std::invoke_result_t<Work&>>(work());
            const std::lock_guard lock(to->mutex);
            if (to->object == nullptr) return;
            auto take = [outcome = std::move(outcome), done = std::move(done)]() mutable {
                done(std::move(*outcome));
            };
            QMetaObject::invokeMethod(to->object, std::move(take), Qt::QueuedConnection);
        });
    }

  private:
    struct To {
        std::mutex mutex;
        QObject* object = nullptr; // null once it goes
    };

    std::shared_ptr<To> m_to;
};

} // namespace lockstep
