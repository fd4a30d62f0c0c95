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
struct BackgroundWork::Mail {
    std::mutex mutex;
    std::unique_ptr<QObject> receiver = std::make_unique<QObject>(); // null once the owner is deleted
    QThreadPool* pool = new QThreadPool;                             // deleted once it is idle
    int underWay = 0;
    std::stop_source stop;

    void leave()
    {
        const std::scoped_lock lock(mutex);
        if (--underWay > 0 || receiver != nullptr) return;
        --orphans;
        pool->deleteLater(); // the pool must not be deleted from one of its own threads
    }
};

BackgroundWork::BackgroundWork(int threads) : m_mail(std::make_shared<Mail>())
{
    m_mail->pool->setMaxThreadCount(threads);
}

BackgroundWork::~BackgroundWork()
{
    m_mail->stop.request_stop();
    const std::scoped_lock lock(m_mail->mutex);
    m_mail->receiver.reset();
    if (m_mail->underWay == 0) {
        m_mail->pool->deleteLater();
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
        const std::scoped_lock lock(m_mail->mutex);
        ++m_mail->underWay;
    }
    m_mail->pool->start([mail = m_mail, work = std::move(work)]() mutable {
        if (const std::stop_token stop = mail->stop.get_token(); !stop.stop_requested()) work(stop);
        work = nullptr; // the captured data must be released first
        mail->leave();
    });
}

void BackgroundWork::post(const std::shared_ptr<Mail>& mail, std::function<void()> answer)
{
    const std::scoped_lock lock(mail->mutex);
    if (mail->receiver)
        QMetaObject::invokeMethod(mail->receiver.get(), std::move(answer), Qt::QueuedConnection);
}

} // namespace lockstep
