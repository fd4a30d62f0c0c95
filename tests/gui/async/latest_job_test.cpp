// SPDX-License-Identifier: Apache-2.0
// Tests LatestJob: the newest request is answered, outdated ones are stopped and dropped, and exceptions do
// not leave it.
#include "ui/async/latest_job.h"

#include <atomic>
#include <memory>
#include <semaphore>
#include <stdexcept>
#include <vector>

#include "tests/support/test_registry.h"

using namespace lockstep;

class LatestJobTest : public QObject {
    Q_OBJECT

  private slots:
    void answersOnTheUiThread()
    {
        std::vector<int> answers;
        QThread* thread = nullptr;
        LatestJob<int> job([&](const Result<int>& outcome) {
            thread = QThread::currentThread();
            answers.push_back(outcome.value());
        });
        job.start([](const Progress&) -> Result<int> { return 7; });
        QTRY_COMPARE(answers, std::vector<int>{7});
        QCOMPARE(thread, QThread::currentThread());
        QVERIFY(!job.isRunning());
    }

    void newestWins()
    {
        std::vector<int> answers;
        std::binary_semaphore started(0);
        std::atomic<bool> wasStopped = false;
        LatestJob<int> job([&](const Result<int>& outcome) { answers.push_back(outcome.value()); });
        job.start([&](const Progress& progress) -> Result<int> {
            started.release();
            while (!progress.isCanceled())
                std::this_thread::yield();
            wasStopped = true;
            return 1;
        });
        started.acquire();
        job.start([](const Progress&) -> Result<int> { return 2; });
        QTRY_COMPARE(answers, std::vector<int>{2});
        QTRY_VERIFY(wasStopped);
        QCoreApplication::sendPostedEvents();
        QCOMPARE(answers, std::vector<int>{2});
    }

    void neverAnswersWithinStart()
    {
        bool isStarting = false, hasAnsweredWithin = false;
        int answers = 0;
        LatestJob<int> job([&](const Result<int>&) {
            hasAnsweredWithin = hasAnsweredWithin || isStarting;
            ++answers;
        });
        constexpr int kTries = 500; // work that ends before start() returns
        for (int i = 1; i <= kTries; ++i) {
            isStarting = true;
            job.start([](const Progress&) -> Result<int> { return 1; });
            isStarting = false;
            while (answers < i)
                QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
        }
        QVERIFY(!hasAnsweredWithin);
    }

    void cancelDropsTheAnswer()
    {
        int answers = 0;
        LatestJob<int> job([&](const Result<int>&) { ++answers; });
        std::binary_semaphore done(0);
        job.start([&](const Progress&) -> Result<int> {
            done.release();
            return 1;
        });
        done.acquire();
        job.cancel();
        QVERIFY(!job.isRunning());
        LatestJob<int> other([&](const Result<int>&) { answers += 10; });
        other.start([](const Progress&) -> Result<int> { return 1; });
        QTRY_COMPARE(answers, 10);
    }

    void exceptionsBecomeErrors()
    {
        std::optional<Error> error;
        LatestJob<int> job([&](const Result<int>& outcome) { error = outcome.error(); });
        job.start([](const Progress&) -> Result<int> { throw std::runtime_error("a library threw"); });
        QTRY_VERIFY(error.has_value());
        QCOMPARE(error->message, std::string("a library threw"));
        job.start([](const Progress&) -> Result<int> { throw std::bad_alloc(); });
        QTRY_COMPARE(error->kind, ErrorKind::io);
    }

    void destroyedWhileWorking()
    {
        std::binary_semaphore started(0);
        bool answered = false;
        auto job = std::make_unique<LatestJob<int>>([&](const Result<int>&) { answered = true; });
        job->start([&](const Progress& progress) -> Result<int> {
            started.release();
            while (!progress.isCanceled())
                std::this_thread::yield();
            return 1;
        });
        started.acquire();
        job.reset();
        QCoreApplication::sendPostedEvents();
        QVERIFY(!answered);
    }
};

LOCKSTEP_TEST(LatestJobTest, "latest_job_test")
#include "latest_job_test.moc"
