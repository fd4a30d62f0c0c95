// SPDX-License-Identifier: Apache-2.0
// Tests that losses of a capture are counted, placed in time and reported, and that the remaining data is
// correct.
#include <cstdlib>

#include <QElapsedTimer>

#include "tests/capture/captured_run.h"
#include "tests/capture/stepped_program.h"
#include "tests/support/small_disk.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using namespace lockstep::test;

namespace {

std::vector<uint32_t> rowsNamed(const Report& report, std::string_view name)
{
    std::vector<uint32_t> rows;
    for (uint32_t i = 0; i < report.slices.size(); ++i) {
        if (report.nameOf(SliceId{i}) == name) rows.push_back(i);
    }
    return rows;
}

bool isCut(const Report& report, uint32_t row)
{
    return (report.slices.flags[row] & sliceFlag::kOpenEnd) != 0;
}

const ImportNote* noteOf(const Report& report, std::string_view kind)
{
    for (const ImportNote& note : report.notes.all()) {
        if (note.kind == kind) return &note;
    }
    return nullptr;
}

// Fills a disk for the lifetime of the object.
class Filler {
  public:
    explicit Filler(const std::filesystem::path& disk) : m_path(disk / "filler")
    {
        QFile file(QString::fromStdString(m_path.string()));
        if (!file.open(QIODevice::WriteOnly | QIODevice::Unbuffered)) return;
        while (file.write(QByteArray(4096, 'f')) > 0) {
        }
    }
    Filler(const Filler&) = delete;
    Filler& operator=(const Filler&) = delete;
    ~Filler() { std::filesystem::remove(m_path); }

  private:
    std::filesystem::path m_path;
};

} // namespace

class CapturedLossesTest : public QObject {
    Q_OBJECT

  private slots:
    // Threads that record faster than the writer writes lose pushes and pops. The remaining ones must not be
    // paired with those whose partner was lost.
    void rangesAroundLostRecordsAreCorrectOrCut()
    {
        const TempDir folder;
        const CapturedRun run = runCaptured(builtProgram("capture-losses"), {"outer", "10"}, folder.path(),
                                            {{"LOCKSTEP_CAPTURE_MEMORY", "4194304"}});
        QCOMPARE(run.status, 0);
        QVERIFY2(run.problem.empty(), run.problem.c_str());
        const Report& report = *run.reports.at(0);
        QVERIFY(noted(report, "capture.ring_full") > 0);
        QVERIFY(!noted(report, "spool.unplaced_loss"));
        size_t found = 0, cut = 0;
        for (const std::string& line : linesOf(run.output.toStdString())) {
            const size_t space = line.find(' ');
            const double took_ns = std::atof(line.c_str() + space);
            for (const uint32_t row : rowsNamed(report, "outer " + line.substr(0, space))) {
                ++found;
                const auto shown_ns = double(report.slices.duration_ns[row]);
                cut += isCut(report, row);
                QVERIFY2(shown_ns <= took_ns, line.c_str());
                QVERIFY2(isCut(report, row) || shown_ns >= 0.95 * took_ns, line.c_str());
            }
        }
        qInfo("%zu of 10 outer ranges, %zu of them cut", found, cut);
        // No range ends after its enclosing range, and at the same depth there are only ranges of the noise
        // threads.
        for (uint32_t i = 0; i < report.slices.size(); ++i)
            QVERIFY(report.slices.duration_ns[i] >= 0);
    }

    void rangesEndWithTheirThread()
    {
        const TempDir folder;
        SteppedProgram program(folder.path() / "out", {});
        program.tell("thread left open");
        program.tell("push later");
        program.tell("pop");
        program.tell("thread left open, too");
        program.tell("push last");
        program.tell("pop");
        const CapturedRun run = program.end();
        const Report& report = *run.reports.at(0);
        const uint32_t open = rowsNamed(report, "left open").at(0), later = rowsNamed(report, "later").at(0);
        QVERIFY(isCut(report, open));
        QVERIFY(report.slices.end(SliceId{open}) <= report.slices.start(SliceId{later}));
        const uint32_t second = rowsNamed(report, "left open, too").at(0),
                       last = rowsNamed(report, "last").at(0);
        QVERIFY(report.slices.end(SliceId{second}) <= report.slices.start(SliceId{last}));
        QVERIFY(!isCut(report, last));
    }

    // The disk is full for a while: open ranges are cut, later ones are correct, and the loss has a time.
    void diskFullForAWhile()
    {
        const TempDir folder;
        const SmallDisk disk(folder.path() / "disk", "256k");
        if (!disk.isMounted) return; // this user may not mount one
        SteppedProgram program(disk.path(), {{"LOCKSTEP_CAPTURE_LOG", logIn(folder)},
                                             {"LOCKSTEP_CAPTURE_BLOCK_AGE_MS", "60000"}});
        program.tell("push around");
        program.tell("start never ended");
        program.tell("pairs 100");
        program.tell("flush");
        {
            const Filler filler(disk.path());
            program.tell("pairs 2000");
            program.tell("flush");
            program.tell("pop");
            program.tell("push hidden");
            program.tell("flush");
        }
        program.tell("pop");
        program.tell("push after");
        program.tell("pairs 10");
        program.tell("pop");
        const CapturedRun run = program.end();
        const Report& report = *run.reports.at(0);
        const ImportNote* const lost = noteOf(report, "capture.not_written");
        QVERIFY(lost != nullptr);
        const size_t missing = 2111 - countOf(report, "nvtx_pushpop"); // all but "around", "hidden"
        QVERIFY2(lost->count >= 2 * missing, std::to_string(lost->count).c_str());
        QVERIFY2(lost->text.find("% of the records") != std::string::npos, lost->text.c_str());
        QVERIFY2(lost->example.starts_with("from "), lost->example.c_str());
        QCOMPARE(noted(report, "spool.not_ended") + noted(report, "spool.no_meta"), 0u);
        const uint32_t around = rowsNamed(report, "around").at(0), after = rowsNamed(report, "after").at(0);
        QVERIFY(isCut(report, around));
        QVERIFY(isCut(report, rowsNamed(report, "never ended").at(0)));
        QVERIFY(report.slices.end(SliceId{around}) < report.slices.start(SliceId{after}));
        QVERIFY(!isCut(report, after));
        QVERIFY(noted(report, "spool.pop_without_push") > 0);
    }

    // The disk stays full: there is still room to record how much is missing.
    void diskThatStaysFull()
    {
        const TempDir folder;
        const SmallDisk disk(folder.path() / "disk", "256k");
        if (!disk.isMounted) return; // this user may not mount one
        SteppedProgram program(disk.path(), {{"LOCKSTEP_CAPTURE_LOG", logIn(folder)}});
        program.tell("pairs 1000");
        program.tell("flush");
        const Filler filler(disk.path());
        program.tell("pairs 3000");
        program.tell("flush");
        const CapturedRun run = program.end();
        const Report& report = *run.reports.at(0);
        const ImportNote* const lost = noteOf(report, "capture.not_written");
        QVERIFY(lost != nullptr);
        const size_t kept = countOf(report, "nvtx_pushpop");
        QVERIFY(kept >= 1000 && kept < 4000);
        QVERIFY2(lost->count >= 2 * (4000 - kept), std::to_string(lost->count).c_str());
        QVERIFY2(lost->text.find("% of the records") != std::string::npos, lost->text.c_str());
        QCOMPARE(noted(report, "spool.not_ended"), 0u);
    }

    // Each capture range has its report or is counted. The process does not wait for the reports for long.
    void shortCaptureRangesAreWrittenOrCounted()
    {
        const TempDir folder;
        QElapsedTimer life;
        life.start();
        const CapturedRun run = runCaptured(builtProgram("capture-losses"), {"cycles", "20000"},
                                            folder.path(), {{"LOCKSTEP_CAPTURE_RANGE", "nvtx:capture me"}});
        const qint64 lived_ms = life.elapsed();
        QCOMPARE(run.status, 0);
        uint64_t counted = 0;
        for (const std::string& line : linesOf(run.log)) {
            const size_t at = line.find(" of 20000 capture ranges have no report");
            if (at == std::string::npos) continue;
            const size_t begin = line.rfind('"', at) + 1;
            counted = std::strtoull(line.c_str() + begin, nullptr, 10);
        }
        qInfo("%zu reports, %llu counted, %lld ms with reading them", run.reports.size(),
              static_cast<unsigned long long>(counted), lived_ms);
        QCOMPARE(run.reports.size() + counted, size_t(20'000));
        QVERIFY(run.reports.size() > 100);
    }

    void oversizedNamesAndPayloadsAreCounted()
    {
        const TempDir folder;
        const CapturedRun run = runCaptured(builtProgram("capture-losses"), {"details"}, folder.path());
        QCOMPARE(run.status, 0);
        const Report& report = *run.reports.at(0);
        QCOMPARE(noted(report, "capture.cut_names"), 1u);
        QCOMPARE(noted(report, "capture.payloads"), 5u); // one too large, four too many
        QCOMPARE(noted(report, "capture.texts"), 0u);
        QCOMPARE(rowsNamed(report, "registered again").size(), size_t(1));
        QCOMPARE(countOf(report, "nvtx_pushpop"), 3u);
    }

    void twoThousandThreads()
    {
        const TempDir folder;
        const CapturedRun run =
            runCaptured(builtProgram("capture-losses"), {"threads", "2000"}, folder.path());
        QCOMPARE(run.status, 0);
        const Report& report = *run.reports.at(0);
        QCOMPARE(rowsNamed(report, "alive").size() + noted(report, "capture.no_ring") / 2, size_t(2000));
        QCOMPARE(noted(report, "capture.no_ring"), 0u);
    }

    // A pool ends its workers by SIGTERM, often after a short life.
    void workerTerminatedEarlyLeavesItsBeginning()
    {
        const TempDir folder;
        SteppedProgram program(folder.path() / "out", {{"LOCKSTEP_CAPTURE_BLOCK_AGE_MS", "60000"}});
        program.tell("push first");
        program.tell("pop");
        program.tell("flush"); // that block is no longer the first
        program.tell("pairs 100");
        QTRY_VERIFY(program.rangesSoFar() >= 101); // long before 60 s
        program.terminate();
        const CapturedRun run = program.end();
        QCOMPARE(countOf(*run.reports.at(0), "nvtx_pushpop"), 101u);
        QCOMPARE(noted(*run.reports.at(0), "spool.not_ended"), 1u);
    }
};

LOCKSTEP_TEST(CapturedLossesTest, "captured_losses_test")
#include "captured_losses_test.moc"
