// SPDX-License-Identifier: Apache-2.0
// Tests recordings that are divided into several files.
#include "core/readers/recording_parts.h"

#include <algorithm>
#include <fstream>
#include <regex>
#include <sstream>

#include <sys/stat.h>

#include "core/batch/batch_folder.h"
#include "core/readers/report_search.h"
#include "tests/support/disk_place.h"
#include "tests/support/gzip_text.h"
#include "tests/support/places.h"
#include "tests/support/report_text.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

Names fileNamesIn(const std::vector<fs::path>& paths)
{
    Names names;
    for (const fs::path& path : paths)
        names.push_back(path.filename().string());
    return names;
}

std::vector<std::string> linesOf(const std::string& name)
{
    std::ifstream file(test::sourceFolder() / "tests/golden/samples" / name);
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);)
        lines.push_back(line + "\n");
    return lines;
}

std::string partFile(const std::string& naming, size_t part)
{
    if (naming == "hourly")
        return "20260821_" + std::string(part < 10 ? "0" : "") + std::to_string(part) + ".jsonl";
    return part == 0 ? "traces.jsonl" : "traces." + std::to_string(part) + ".jsonl";
}

// The text of a report without what depends on how its files are divided: positions and names of files.
std::string plainText(const Report& report)
{
    std::istringstream text(test::reportText(report));
    std::string out;
    for (std::string line; std::getline(text, line);) {
        if (line.starts_with("note recording.files")) continue;
        out += std::regex_replace(line, std::regex("[a-z]+( [23])?:[0-9]+"), "at") + "\n";
    }
    return out;
}

std::string span(const std::string& id, const std::string& parent, int start_s, int end_s)
{
    const auto at = [](int seconds) { return std::to_string(1'787'300'000 + seconds) + "000000000"; };
    return R"({"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"0a","spanId":")" + id +
           R"(","parentSpanId":")" + parent + R"(","name":"span )" + id + R"(","startTimeUnixNano":")" +
           at(start_s) + R"(","endTimeUnixNano":")" + at(end_s) + "\"}]}]}]}\n";
}

constexpr const char* kMetrics = "{\"step\":1,\"data\":{\"timing_s/step\":1.5}}\n";

} // namespace

class RecordingPartsTest : public QObject {
    Q_OBJECT

  private slots:
    void names_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<bool>("isHourly");
        QTest::addColumn<QString>("meaning"); // recording and place
        const auto row = [](const char* name, bool isHourly, const char* meaning) {
            QTest::newRow(name) << QString(name) << isHourly << QString(meaning);
        };
        row("traces.jsonl", false, "traces.jsonl @");
        row("traces.2.jsonl", false, "traces.jsonl @000000002");
        row("traces.10.jsonl.gz", false, "traces.jsonl @000000010");
        row("a.b.3.json", false, "a.b.json @000000003");
        row("traces-2026-08-21T14-03-22.123.json", false, "traces.json @-2026-08-21T14-03-22.123");
        row("20260821_14.jsonl", true, ".jsonl @20260821_14");
        row("sglang-request-metrics-20260821_06.log", true, "sglang-request-metrics-.log @20260821_06");
        row("7.jsonl", false, "7.jsonl @");
        row("traces.1234567890.jsonl", false, "traces.1234567890.jsonl @");
        row("traces.jsonl ", true, "");
        row("20260821_1.jsonl", true, "");
        row("traces", false, "");
        row(".hidden", false, "");
    }

    void names()
    {
        QFETCH(QString, name);
        QFETCH(bool, isHourly);
        QFETCH(QString, meaning);
        const auto part = partName(name.toStdString(), isHourly ? PartNaming::hourly : PartNaming::numbered);
        QCOMPARE(part ? QString::fromStdString(part->recording + " @" + part->place) : QString(), meaning);
    }

    void dividedFileIsReadAsOne_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("naming");
        for (const char* file : {"roll.jsonl", "roll_rlvr.jsonl", "roll_resumed.jsonl", "sglang.jsonl"})
            QTest::newRow(file) << file << "numbered";
        for (const char* file : {"miles_trajectories.jsonl", "miles_phases.jsonl", "miles_gpu_util.jsonl",
                                 "miles_engine_series.jsonl", "sglang-request-metrics-20260821_06.log"})
            QTest::newRow(file) << file << "hourly";
    }

    // Every line in a file of its own gives the same report as all lines in one file, and every slice leads
    // back to its object.
    void dividedFileIsReadAsOne()
    {
        QFETCH(QString, file);
        QFETCH(QString, naming);
        const test::TempDir folder;
        const auto lines = linesOf(file.toStdString());
        QVERIFY(lines.size() > 1);
        std::string all;
        for (size_t i = 0; i < lines.size(); ++i) {
            folder.write("parts/" + partFile(naming.toStdString(), i), lines[i]);
            all += lines[i];
        }
        const auto single = readReport(folder.write("single/x.jsonl", all), Progress());
        const fs::path first = folder.path() / "parts" / partFile(naming.toStdString(), 0);
        const auto divided = readReport(first, Progress());
        QVERIFY(single && divided);
        QCOMPARE(plainText(**divided), plainText(**single));
        QCOMPARE((*divided)->provenance.size_bytes, (*single)->provenance.size_bytes);
        for (uint32_t slice = 0; slice < (*single)->slices.size(); ++slice) {
            const auto expected = readSliceDetails(**single, SliceId(slice));
            const auto details = readSliceDetails(**divided, SliceId(slice));
            QVERIFY(expected && details);
            QCOMPARE(details->arguments, expected->arguments);
        }
    }

    void folderHasOneReportPerRecording()
    {
        const test::TempDir folder;
        folder.write("a/traces.jsonl", span("01", "", 0, 4));
        folder.write("a/traces.1.jsonl", span("02", "01", 1, 2));
        folder.write("a/traces.10.jsonl", span("03", "01", 2, 3));
        folder.write("a/traces.1.jsonl.gz", test::gzipped(span("02", "01", 1, 2)));
        folder.write("a/other.jsonl", span("04", "", 0, 1));
        folder.write("b/traces.1.jsonl", span("05", "", 0, 1)); // the first file was deleted
        folder.write("b/traces.2.jsonl", span("06", "", 0, 1));
        folder.write("c/run.jsonl", kMetrics); // names of experiments, not of parts
        folder.write("c/run.1.jsonl", std::string(kMetrics) + kMetrics);
        const FoundReports found = *findReports({folder.path()}, Progress());
        QCOMPARE(fileNamesIn(found.reports),
                 (Names{"other.jsonl", "traces.jsonl", "traces.1.jsonl", "run.1.jsonl", "run.jsonl"}));
        QCOMPARE(found.skippedFiles.size(), size_t(4));
        const auto& skipped = found.skippedFiles;
        const auto reasonOf = [&](const char* name) {
            const auto at = std::ranges::find(skipped, folder.path() / name, &SkippedFile::path);
            return at != skipped.end() ? at->reason : std::string("not skipped");
        };
        const std::string a = (folder.path() / "a").string();
        QCOMPARE(reasonOf("a/traces.10.jsonl"), "a part of the recording " + a + "/traces.jsonl");
        QCOMPARE(reasonOf("a/traces.1.jsonl.gz"), "the same part of a recording as " + a + "/traces.1.jsonl");
        QVERIFY(found.files[1].size_bytes > found.files[0].size_bytes * 2);
        const auto report = readReport(found.reports[1], Progress());
        QCOMPARE((*report)->slices.size(), size_t(3));
    }

    void anyPartOpensTheRecordingOnce()
    {
        const test::TempDir folder;
        const fs::path first = folder.write("traces.jsonl", span("01", "", 0, 4)),
                       second = folder.write("traces.1.jsonl", span("02", "01", 1, 2)),
                       third = folder.write("traces.2.jsonl", span("03", "01", 2, 3));
        const FoundReports found = *findReports({third, second}, Progress());
        QCOMPARE(fileNamesIn(found.reports), (Names{"traces.jsonl"}));
        QCOMPARE(found.skippedFiles.size(), size_t(1));
        QCOMPARE(found.skippedFiles[0].path, second);
        QCOMPARE(found.skippedFiles[0].reason, "a part of the recording " + first.string());
        QCOMPARE(found.files[0].size_bytes, uint64_t(3 * span("01", "01", 0, 4).size() - 2));
    }

    void onlyFilesAreParts()
    {
        const test::TempDir folder;
        const fs::path first = folder.write("traces.jsonl", span("01", "", 0, 4));
        QCOMPARE(::mkfifo((folder.path() / "traces.1.jsonl").c_str(), 0600), 0);
        fs::create_directory(folder.path() / "traces.2.jsonl");
        fs::create_symlink("absent", folder.path() / "traces.3.jsonl");
        folder.write("traces.4.jsonl", "");
        folder.write("traces.5.jsonl", kMetrics);
        QCOMPARE(filesOfRecording(first), std::vector{first});
    }

    // The collection checks each file, and must not check the others with it.
    void singleFileCanBeRead()
    {
        const test::TempDir folder;
        const fs::path first = folder.write("traces.jsonl", span("01", "", 0, 4));
        folder.write("traces.1.jsonl", span("02", "01", 1, 2));
        const auto alone = readReports(first, Progress(), ReadExtent::file);
        QCOMPARE(alone->report(alone->keys().front()).slices.size(), size_t(1));
        const auto whole = readReports(first, Progress());
        QCOMPARE(whole->report(whole->keys().front()).slices.size(), size_t(2));
    }

    void damageNamesItsFile()
    {
        const test::TempDir folder;
        const fs::path first = folder.write("traces.jsonl", span("01", "", 0, 4));
        folder.write("traces.1.jsonl",
                     span("02", "", 1, 2) + "{\"resourceSpans\": [}\n" + span("03", "", 2, 3));
        const auto report = readReport(first, Progress());
        QVERIFY(report);
        QCOMPARE((*report)->slices.size(), size_t(3));
        const auto& notes = (*report)->notes.all();
        const auto note = std::ranges::find(notes, std::string("records.damaged"), &ImportNote::kind);
        QVERIFY(note != notes.end());
        QCOMPARE(note->example, "traces.1.jsonl, byte " + std::to_string(span("02", "", 1, 2).size()));
    }

    void damageOfTheFirstFileNamesIt()
    {
        const test::TempDir folder;
        const fs::path first =
            folder.write("traces.jsonl", span("01", "", 0, 4) + "{\"resourceSpans\": [}\n");
        folder.write("traces.1.jsonl", span("02", "", 1, 2));
        const auto report = readReport(first, Progress());
        const auto& notes = (*report)->notes.all();
        const auto note = std::ranges::find(notes, std::string("records.cut_short"), &ImportNote::kind);
        QVERIFY(note != notes.end());
        QVERIFY(note->example.starts_with("traces.jsonl, byte "));
    }

    // A part was removed after the folder was listed.
    void missingFileIsNoted()
    {
        const test::TempDir folder;
        const fs::path first = folder.write("traces.jsonl", span("01", "", 0, 4));
        const auto report = readGrowingReport({first, folder.path() / "traces.1.jsonl"}, Progress());
        QVERIFY(report);
        QCOMPARE((*report)->slices.size(), size_t(1));
        const auto& notes = (*report)->notes.all();
        const auto note = std::ranges::find(notes, std::string("recording.unreadable"), &ImportNote::kind);
        QVERIFY(note != notes.end() && note->severity == NoteSeverity::dataLoss);
        QVERIFY(note->example.find("traces.1.jsonl") != std::string::npos);
    }

    void progressCoversAllFiles()
    {
        const test::TempDir folder;
        const fs::path first = folder.write("traces.jsonl", span("01", "", 0, 4));
        const size_t size = span("01", "", 0, 4).size();
        for (int part = 1; part < 5; ++part)
            folder.write("traces." + std::to_string(part) + ".jsonl",
                         span("0" + std::to_string(part + 1), "", 0, 4));
        uint64_t last = 0;
        bool isOrdered = true;
        const auto report = [&](uint64_t done, uint64_t total) {
            isOrdered = isOrdered && done >= last && total == 5 * size;
            last = done;
        };
        QVERIFY(readReport(first, Progress({}, report)));
        QVERIFY(isOrdered);
        QCOMPARE(last, uint64_t(5 * size));
    }

    // A report that was read onto disk is read again if any of its files has changed.
    void cachedRecordingIsReadAgain()
    {
        const test::DiskPlace disk;
        const test::TempDir folder;
        const fs::path first = folder.write("traces.jsonl", span("01", "", 0, 4));
        folder.write("traces.1.jsonl", span("02", "01", 1, 2));
        const auto rows = [&] {
            const auto read = readReports(first, Progress({}, {}, Workers(), disk.place().value()));
            return read ? read->report(read->keys().front()).slices.size() : 0;
        };
        QCOMPARE(rows(), size_t(2));
        QCOMPARE(rows(), size_t(2));
        folder.write("traces.1.jsonl", span("02", "01", 1, 2) + span("03", "01", 2, 3));
        QCOMPARE(rows(), size_t(3));
        folder.write("traces.2.jsonl", span("04", "01", 3, 4));
        QCOMPARE(rows(), size_t(4));
        fs::remove(folder.path() / "traces.1.jsonl");
        QCOMPARE(rows(), size_t(2));
    }

    // A batch reads an input again if any of its files has changed.
    void batchInputsAreWholeRecordings()
    {
        const test::TempDir folder;
        const fs::path first = folder.write("traces.jsonl", span("01", "", 0, 4));
        const std::string before = batchInput(first, 0).key;
        QCOMPARE(batchInput(first, 0).key, before);
        folder.write("traces.1.jsonl", span("02", "01", 1, 2));
        const std::string after = batchInput(first, 0).key;
        QVERIFY(after != before);
        folder.write("traces.1.jsonl", span("02", "01", 1, 2) + span("03", "01", 2, 3));
        QVERIFY(batchInput(first, 0).key != after);
    }

    // A part that is added or grows later makes positions unreliable.
    void detailsOfChangedRecordingAreRefused()
    {
        const test::TempDir folder;
        const fs::path first = folder.write("traces.jsonl", span("01", "", 0, 4));
        folder.write("traces.1.jsonl", span("02", "01", 1, 2));
        const auto report = readReport(first, Progress());
        QVERIFY(readSliceDetails(**report, SliceId(0u)));
        const auto second = readSliceDetails(**report, SliceId(1u));
        QVERIFY(second);
        QVERIFY(second->source.starts_with("traces.1.jsonl, byte "));
        folder.write("traces.2.jsonl", span("03", "01", 2, 3));
        QCOMPARE(readSliceDetails(**report, SliceId(1u)).error().kind, ErrorKind::corrupt);
    }
};

LOCKSTEP_TEST(RecordingPartsTest, "recording_parts_test")
#include "recording_parts_test.moc"
