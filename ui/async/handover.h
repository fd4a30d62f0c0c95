// SPDX-License-Identifier: Apache-2.0
// Handover passes the result of work on another thread to an object on the UI thread. QFuture::then() is not
// used: in Qt 6.4 it sometimes runs the continuation twice, the second time with a moved-from result.
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
    // Construct on the UI thread, as a member of `to` or of its owner.
    explicit Handover(QObject& to) : m_to(std::make_shared<To>()) { m_to->object = &to; }
    Handover(const Handover&) = delete;
    Handover& operator=(const Handover&) = delete;
    // Results of unfinished work are discarded.
    ~Handover()
    {
        const std::lock_guard lock(m_to->mutex);
        m_to->object = nullptr;
    }

    // Runs work() on the pool and then done(result) on the UI thread, never from within run().
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
        QObject* object = nullptr; // null once the object is destroyed
    };

    std::shared_ptr<To> m_to;
};

} // namespace lockstep
