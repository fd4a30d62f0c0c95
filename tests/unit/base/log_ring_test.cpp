// SPDX-License-Identifier: Apache-2.0
// Tests that each entry is one line, that the newest stay, and that dropped ones are counted.
#include "core/base/log_ring.h"

#include <algorithm>
#include <thread>
#include <vector>

#include <QRegularExpression>

#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

size_t linesOf(const std::string& text)
{
    return static_cast<size_t>(std::ranges::count(text, '\n'));
}

} // namespace

class LogRingTest : public QObject {
    Q_OBJECT

  private slots:
    void entriesAreOneLine()
    {
        LogRing ring;
        QCOMPARE(ring.text(), std::string());
        ring.note(LogLevel::warning, "lockstep.remote", "node1: a\nb \x1b]0;title\x07");
        const QString text = QString::fromStdString(ring.text());
        const QRegularExpression wanted(
            R"(^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} UTC warning lockstep\.remote: node1: a b [^\n]*\n$)");
        QVERIFY2(wanted.match(text).hasMatch(), qPrintable(text));
        QVERIFY(!text.contains(QChar(0x1B)) && !text.contains(QChar(0x07)));
    }

    void theNewestStay()
    {
        LogRing ring(1'000);
        for (int i = 0; i < 100; ++i)
            ring.note(LogLevel::info, "c", "note " + std::to_string(i));
        const std::string text = ring.text();
        QVERIFY(text.size() < 1'100);
        QVERIFY(text.find("note 99\n") != std::string::npos && text.find("note 5\n") == std::string::npos);
        const size_t kept = linesOf(text) - 1;
        QVERIFY(text.starts_with(std::to_string(100 - kept) + " older lines were dropped\n"));
    }

    void longEntriesAreTruncated()
    {
        LogRing ring(1'000);
        ring.note(LogLevel::error, "c", std::string(100'000, 'x'));
        QVERIFY(ring.text().ends_with("xxx...\n") && ring.text().size() < 2'100);
    }

    void theTailBeginsWithALine()
    {
        LogRing ring(1'000);
        std::string tail(500, '\0');
        QCOMPARE(ring.copyTail(tail.data(), tail.size()), size_t(0));
        ring.note(LogLevel::info, "c", "only");
        QCOMPARE(tail.substr(0, ring.copyTail(tail.data(), tail.size())), ring.text());
        for (int i = 0; i < 5'000; ++i) // wraps around several times
            ring.note(LogLevel::info, "c", "note " + std::to_string(i));
        const std::string newest = tail.substr(0, ring.copyTail(tail.data(), tail.size()));
        QVERIFY(newest.size() > 400 && newest.ends_with("note 4999\n"));
        QVERIFY2(newest.starts_with("20") && newest.find(" UTC info c: note ") < 30, newest.c_str());
    }

    void threadsMayLogConcurrently()
    {
        LogRing ring;
        std::vector<std::thread> threads;
        for (int i = 0; i < 4; ++i) {
            threads.emplace_back([&ring] {
                for (int j = 0; j < 500; ++j)
                    ring.note(LogLevel::info, "c", "x");
            });
        }
        for (std::thread& thread : threads)
            thread.join();
        QCOMPARE(linesOf(ring.text()), size_t(2'000));
    }
};

LOCKSTEP_TEST(LogRingTest, "log_ring_test")
#include "log_ring_test.moc"
