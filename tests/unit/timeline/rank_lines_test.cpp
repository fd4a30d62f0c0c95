// SPDX-License-Identifier: Apache-2.0
// Tests how the ranks of a rank map are divided among its lines: equally, and at host boundaries where lines
// remain nearly equal.
#include <QtTest>

#include <algorithm>
#include <numeric>
#include <set>

#include "core/timeline/rank_map.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

using Counts = std::vector<uint32_t>;

uint32_t sum(const Counts& counts)
{
    return std::accumulate(counts.begin(), counts.end(), 0u);
}

uint32_t difference(const Counts& counts)
{
    const auto [least, most] = std::ranges::minmax(counts);
    return most - least;
}

// The number of hosts whose first rank is the first rank of a line.
size_t alignedHosts(const Counts& hosts, const Counts& lines)
{
    std::set<uint32_t> firsts;
    uint32_t above = 0;
    for (const uint32_t line : lines) {
        firsts.insert(above);
        above += line;
    }
    size_t aligned = 0;
    above = 0;
    for (const uint32_t host : hosts) {
        aligned += firsts.count(above);
        above += host;
    }
    return aligned;
}

} // namespace

class RankLinesTest : public QObject {
    Q_OBJECT

  private slots:
    void linesAreEqual_data()
    {
        QTest::addColumn<Counts>("hosts");
        QTest::addColumn<size_t>("aligned");
        QTest::newRow("one host") << Counts{9'900} << size_t{1};
        QTest::newRow("one rank per host") << Counts(9'900, 1) << size_t{512};
        QTest::newRow("uneven hosts") << Counts{5'000, 3'000, 1'900} << size_t{3};
        QTest::newRow("hosts of several lines") << Counts(10, 990) << size_t{10};
        QTest::newRow("a host smaller than a line") << Counts{5'000, 7, 4'893} << size_t{2};
    }

    void linesAreEqual()
    {
        QFETCH(Counts, hosts);
        const Counts lines = ranksPerLine(hosts, 512);
        QCOMPARE(lines.size(), size_t{512});
        QCOMPARE(sum(lines), 9'900u);
        QVERIFY2(difference(lines) <= 1, qPrintable(QString::number(difference(lines))));
        QTEST(alignedHosts(hosts, lines), "aligned");
    }

    // Lines of whole hosts differ by one host, which is less than half of the mean.
    void linesConsistOfWholeSmallHosts()
    {
        for (const uint32_t perHost : {4u, 8u}) {
            const Counts hosts(9'900 / perHost, perHost), lines = ranksPerLine(hosts, 512);
            QCOMPARE(lines.size(), size_t{512});
            QCOMPARE(sum(lines), sum(hosts));
            QCOMPARE(difference(lines), perHost);
            QCOMPARE(alignedHosts(hosts, lines), size_t{512});
        }
    }

    // Whole hosts would be uneven, as one line would show a host of 33 ranks and another half of one.
    void hostsThatDoNotFitAreDivided()
    {
        const Counts hosts(300, 33), lines = ranksPerLine(hosts, 512);
        QCOMPARE(lines.size(), size_t{512});
        const auto [least, most] = std::ranges::minmax(lines);
        QVERIFY2(least >= 15 && most <= 24, qPrintable(QString("%1 to %2").arg(least).arg(most)));
    }

    void everyRankIsInALine()
    {
        for (const uint32_t lines : {1u, 2u, 3u, 7u, 60u, 63u, 64u, 100u}) {
            for (const Counts& hosts :
                 {Counts{64}, Counts{1, 62, 1}, Counts{30, 1, 1, 1, 31}, Counts(8, 8)}) {
                const Counts shared = ranksPerLine(hosts, lines);
                QCOMPARE(sum(shared), 64u);
                QCOMPARE(shared.size(), size_t{std::min(lines, 64u)});
                QVERIFY(std::ranges::min(shared) > 0);
            }
        }
        QVERIFY(ranksPerLine({}, 5).empty());
    }
};

LOCKSTEP_TEST(RankLinesTest, "rank_lines_test")
#include "rank_lines_test.moc"
