// SPDX-License-Identifier: Apache-2.0
// Tests BackgroundWork: answers arrive on the requesting thread, and the owner's destructor waits for
// nothing, even if a file system blocks its work forever.
#include "core/remote/background_work.h"

#include <fstream>

#include <QElapsedTimer>
#include <QThread>
#include <sys/stat.h>

#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

class BackgroundWorkTest : public QObject {
    Q_OBJECT

  private slots:
    void answersArriveOnTheRequestingThread()
    {
        BackgroundWork work(1);
        std::vector<int> answers;
        QThread* answeredIn = nullptr;
        for (int i = 0; i < 3; ++i) {
            work.start([i](const std::stop_token&) { return std::pair(i, QThread::currentThread()); },
                       [&](const std::pair<int, QThread*>& answer) {
                           QVERIFY(answer.second != QThread::currentThread());
                           answeredIn = QThread::currentThread();
                           answers.push_back(answer.first);
                       });
        }
        QVERIFY(answers.empty()); // never from within start()
        QTRY_COMPARE(answers, (std::vector<int>{0, 1, 2}));
        QCOMPARE(answeredIn, QThread::currentThread());
    }

    void destroyedOwnerDoesNotWait()
    {
        const test::TempDir folder;
        const std::string pipe = (folder.path() / "pipe").string();
        QCOMPARE(::mkfifo(pipe.c_str(), 0600), 0);
        std::atomic<int> begun = 0, answered = 0;
        auto work = std::make_unique<BackgroundWork>(1);
        for (int i = 0; i < 2; ++i) {
            work->start(
                [pipe, &begun](const std::stop_token& stop) {
                    ++begun;
                    std::ifstream file(
                        pipe); // opens once there is a writer: acts as a disk that does not answer
                    return stop.stop_requested();
                },
                [&](bool) { ++answered; });
        }
        QTRY_COMPARE(begun.load(), 1);
        QElapsedTimer clock;
        clock.start();
        work.reset();
        QVERIFY(clock.elapsed() < 30'000); // without waiting for the reader, which never ends
        QVERIFY(BackgroundWork::hasOrphans());
        std::ofstream writer(pipe);
        writer.close();
        QTRY_VERIFY(!BackgroundWork::hasOrphans());
        QCoreApplication::processEvents();
        QCOMPARE(begun.load(), 1); // work that had not begun is dropped
        QCOMPARE(answered.load(), 0);
    }
};

LOCKSTEP_TEST(BackgroundWorkTest, "background_work_test")
#include "background_work_test.moc"
