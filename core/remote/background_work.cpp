// SPDX-License-Identifier: Apache-2.0
#include "core/remote/background_work.h"

#include <atomic>
#include <mutex>

#include <QObject>
#include <QThreadPool>

namespace lockstep {

namespace {

std::atomic<int> orphans = 0;

} // namespace

// State shared with running tasks, which may outlive the owner.
struct BackgroundWork::Mailbox {
    std::mutex mutex;
    std::unique_ptr<QObject> receiver = std::make_unique<QObject>(); // null once the owner is deleted
    QThreadPool* pool = new QThreadPool;                             // deleted once it is idle
    int running = 0;
    std::stop_source stop;

    void finishTask()
    {
        const std::scoped_lock lock(mutex);
        if (--running > 0 || receiver != nullptr) return;
        --orphans;
        pool->deleteLater(); // the pool must not be deleted from one of its own threads
    }
};

BackgroundWork::BackgroundWork(int threads) : m_mailbox(std::make_shared<Mailbox>())
{
    m_mailbox->pool->setMaxThreadCount(threads);
}

BackgroundWork::~BackgroundWork()
{
    m_mailbox->stop.request_stop();
    const std::scoped_lock lock(m_mailbox->mutex);
    m_mailbox->receiver.reset();
    if (m_mailbox->running == 0) {
        m_mailbox->pool->deleteLater();
    } else {
        ++orphans;
    }
}

bool BackgroundWork::hasOrphans()
{
    return orphans > 0;
}

void BackgroundWork::run(std::function<void(const std::stop_token&)> work)
{
    {
        const std::scoped_lock lock(m_mailbox->mutex);
        ++m_mailbox->running;
    }
    m_mailbox->pool->start([mailbox = m_mailbox, work = std::move(work)]() mutable {
        if (const std::stop_token stop = mailbox->stop.get_token(); !stop.stop_requested()) work(stop);
        work = nullptr; // the captured data must be released first
        mailbox->finishTask();
    });
}

void BackgroundWork::post(const std::shared_ptr<Mailbox>& mailbox, std::function<void()> answer)
{
    const std::scoped_lock lock(mailbox->mutex);
    if (mailbox->receiver)
        QMetaObject::invokeMethod(mailbox->receiver.get(), std::move(answer), Qt::QueuedConnection);
}

} // namespace lockstep
