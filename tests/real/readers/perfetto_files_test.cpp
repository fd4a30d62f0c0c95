// SPDX-License-Identifier: Apache-2.0
// Compares a real Perfetto trace with an independent plain walk of its wire format.
#include "core/readers/reader.h"
#include "tests/support/places.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;

class PerfettoFilesTest : public QObject {
    Q_OBJECT

  private slots:
    // 4092 packets: 1364 descriptors (1360 with a parent), 1364 begins and as many ends; flow ids on 1360
    // packets each.
    void nestedTracks()
    {
        LOCKSTEP_NEED_SHARED_DATA();
        const auto report = readReport(lockstep::test::sharedData("perfetto/nested_tracks.perfetto-trace"),
                                       Progress(test::workers()))
                                .value();
        QCOMPARE(report->provenance.kind, std::string("perfetto"));
        const auto counted = [&](std::string_view word) {
            return std::ranges::find(report->rowCounts, word, &std::pair<std::string, uint64_t>::first)
                ->second;
        };
        QCOMPARE(counted("packet"), uint64_t(4092));
        QCOMPARE(report->slices.size(), size_t(1364));
        QCOMPARE(report->tracks.size(), size_t(1364));
        QCOMPARE(report->links.size(), size_t(1360));
        QCOMPARE(report->nameOf(SliceId(0u)).substr(0, 2), std::string_view("L1"));
        const auto nested = std::ranges::count_if(report->tracks, [&](const Track& track) {
            return report->strings.at(track.name).find(" / ") != std::string_view::npos;
        });
        QCOMPARE(size_t(nested), size_t(1360));
        QCOMPARE(report->extent.begin.ns, int64_t(1000000));
        QVERIFY(report->notes.all().empty());
    }
};

LOCKSTEP_TEST(PerfettoFilesTest, "perfetto_files_test")
#include "perfetto_files_test.moc"
