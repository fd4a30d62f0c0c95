// SPDX-License-Identifier: Apache-2.0
// Tests which rank a collective waited for: by starts, by durations if clocks are too inexact, and never a
// guess.
#include "core/timeline/last_arrival.h"

#include "tests/support/many_ranks.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

// Returns the part of a rank in the n-th collective.
SliceRef partOf(const Scene& scene, int rank, size_t n)
{
    for (const ReportKey key : scene.shown.keys()) {
        if (scene.shown.identity(key).rank.value == rank)
            return {key, scene.shown.report(key).collectives[n].slice};
    }
    return {};
}

} // namespace

class LastArrivalTest : public QObject {
    Q_OBJECT

  private slots:
    void theLateRankIsNamedWithItsBound()
    {
        const ScenePtr scene = test::manyRanks({16, 9, -1, 8});
        const LastArrival last = lastArrivalOf(*scene, partOf(*scene, 2, 3));
        QVERIFY(last.slice == partOf(*scene, 9, 3));
        QVERIFY(!last.isItself);
        const QString text = QString::fromStdString(last.text);
        QVERIFY2(text.startsWith(QString::fromUtf8("rank 9 \u00B7 node1 arrived last of 16, ")),
                 qPrintable(text));
        QVERIFY2(text.contains(QString::fromUtf8("4 ms")) && text.contains(QString::fromUtf8("\u00B1")),
                 qPrintable(text));
        QVERIFY2(text.contains("after the first: rank 0"), qPrintable(text));
        QVERIFY(lastArrivalOf(*scene, last.slice).isItself);
    }

    void missingRanksAreReported()
    {
        const ScenePtr scene = test::manyRanks({16, 9, 4, 8});
        const LastArrival last = lastArrivalOf(*scene, partOf(*scene, 2, 0));
        QVERIFY2(last.text.find("15 (16 ranks take part; the reports of the others are not open)") !=
                     std::string::npos,
                 last.text.c_str());
    }

    void otherSlicesHaveNone()
    {
        const ScenePtr scene = test::manyRanks({16, 9, -1, 8});
        const ReportKey key = scene->shown.keys().front();
        const Report& report = scene->shown.report(key);
        for (uint32_t row = 0; row < report.slices.size(); ++row) {
            if (report.slices.category[row] == SliceCategory::communication) continue;
            const LastArrival none = lastArrivalOf(*scene, {key, SliceId(row)});
            QVERIFY(!none.slice.isValid());
            QVERIFY(none.text.starts_with("No matching collective"));
            return;
        }
        QFAIL("no other slice is there");
    }
};

LOCKSTEP_TEST(LastArrivalTest, "last_arrival_test")
#include "last_arrival_test.moc"
