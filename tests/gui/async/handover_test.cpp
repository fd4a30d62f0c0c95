// SPDX-License-Identifier: Apache-2.0
// Tests Handover: each result is delivered once, on the UI thread, after run() has returned; a destroyed
// object gets nothing.
#include "ui/async/handover.h"

#include <algorithm>
#include <atomic>
#include <vector>

#include <QThread>

#include "tests/support/test_registry.h"

using namespace lockstep;

class HandoverTest : public QObject {
    Q_OBJECT

  private slots:
    // Work that finishes immediately is the case in which a hand-over by continuations was delivered twice,
    // or inside the call.
    void eachResultIsDeliveredOnce()
    {
        QThreadPool pool;
        pool.setMaxThreadCount(4);
        QObject receiver;
        Handover handover(receiver);
        constexpr int kCount = 20'000;
        std::vector<int> came(kCount);
        int all = 0;
        for (int i = 0; i < kCount; ++i) {
            handover.run(
                pool, [i] { return std::make_shared<int>(i); },
                [&, i](std::shared_ptr<int> outcome) {
                    QCOMPARE(QThread::currentThread(), qApp->thread());
                    QCOMPARE(*outcome, i);
                    ++came[size_t(i)];
                    ++all;
                });
            QCOMPARE(came[size_t(i)], 0);
            if (i % 64 == 0) QCoreApplication::sendPostedEvents(&receiver);
        }
        QTRY_COMPARE(all, kCount);
        QVERIFY(std::ranges::all_of(came, [](int times) { return times == 1; }));
    }

    void destroyedReceiverGetsNothing()
    {
        QThreadPool pool;
        std::atomic<bool> mayEnd = false;
        bool hasCome = false;
        {
            QObject receiver;
            Handover handover(receiver);
            handover.run(
                pool,
                [&mayEnd] {
                    while (!mayEnd)
                        QThread::yieldCurrentThread();
                    return 1;
                },
                [&hasCome](int) { hasCome = true; });
        }
        mayEnd = true;
        pool.waitForDone();
        QTest::qWait(1); // all posted events have been delivered
        QVERIFY(!hasCome);
    }
};

LOCKSTEP_TEST(HandoverTest, "handover_test")
#include "handover_test.moc"
