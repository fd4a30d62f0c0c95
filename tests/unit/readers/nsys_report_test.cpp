// SPDX-License-Identifier: Apache-2.0
// Tests reports that only nsys can open: the content of their header, the selected nsys, and the result of a
// conversion.
#include <atomic>
#include <thread>

#include <fcntl.h>
#include <sys/stat.h>

#include "core/base/child_process.h"
#include "core/readers/nsys_report/nsys_install.h"
#include "core/readers/nsys_report/nsys_report_reader.h"
#include "core/readers/nsys_report/nsys_text.h"
#include "tests/support/places.h"
#include "tests/support/sqlite_file.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using lockstep::test::contentOf;
using lockstep::test::TempDir;
namespace fs = std::filesystem;

namespace {

const std::string kHead = "NVIDIA Tegra Profiler Report ";
const std::string kWhole = kHead + "2025@6@1@190-256136895201v0.payload" + std::string(8, '\0') + "U3w[END]";

FileSniff sniffed(const std::string& name, const std::string& bytes)
{
    FileSniff sniff;
    sniff.path = name;
    sniff.size_bytes = bytes.size();
    sniff.head = bytes.substr(0, FileSniff::kHead);
    sniff.text = sniff.head;
    sniff.tail = bytes.substr(bytes.size() - std::min<size_t>(bytes.size(), 16));
    return sniff;
}

// A fake nsys: answers --version and export --help, records its arguments, and exports by copying.
fs::path writeNsys(const TempDir& folder, const std::string& where, const std::string& version,
                   const std::string& exportScript)
{
    const fs::path program = folder.write(fs::path(where) / "nsys", R"(#!/bin/sh
case "$1 $2" in
"--version "*) echo "NVIDIA Nsight Systems version )" + version + R"(-123v0" ;;
"export --help") echo "  -l, --lazy=  --include-json=  -f, --force-overwrite=" ;;
*)
    echo "$@" >> ")" + (folder.path() / "calls").string() + R"("
    for last; do source="$last"; done
    while [ $# -gt 0 ]; do [ "$1" = "-o" ] && target="$2"; shift; done
    )" + exportScript + R"(
    ;;
esac
)");
    ::chmod(program.c_str(), 0755);
    return program;
}

// A small finished export that stand-ins copy.
fs::path writeExport(const TempDir& folder)
{
    const fs::path path = folder.path() / "ready.db";
    lockstep::test::runSql(path, R"(
        CREATE TABLE META_DATA_EXPORT(name TEXT, value TEXT);
        INSERT INTO META_DATA_EXPORT VALUES('EXPORT_PRODUCT_VERSION', '2026.1.1.204');
        CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);
        INSERT INTO StringIds VALUES(1, 'gemm');
        CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INT, end INT, deviceId INT, contextId INT, streamId INT,
            correlationId INT, globalPid INT, demangledName INT, shortName INT);
        INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(10, 20, 0, 1, 7, 5, 281474993487872, 1, 1);)");
    return path;
}

} // namespace

class NsysReportTest : public QObject {
    Q_OBJECT

  private slots:
    void headers()
    {
        const auto whole = readReportHeader(sniffed("a.bin", kWhole)); // by content, not by name
        QVERIFY(whole.has_value());
        QVERIFY(whole->isComplete);
        QCOMPARE(whole->versionToken, std::string("2025@6@1@190-256136895201v0"));
        QCOMPARE(*whole->version, (NsightRelease{2025, 6, 1}));
        const auto old = readReportHeader(sniffed("a.nsys-rep", kHead + "1.xxU3w[END]"));
        QVERIFY(old.has_value());
        QVERIFY(!old->version.has_value());
        QVERIFY(old->isComplete);
        QVERIFY(!readReportHeader(sniffed("a", kHead + "2025@6@1"))->isComplete);
        QCOMPARE(readReportHeader(sniffed("a", kHead + "\n\x01\x02."))->versionToken, std::string());
        QVERIFY(readReportHeader(sniffed("x.qdstrm", "anything"))->form == ReportForm::rawStream);
        QVERIFY(!readReportHeader(sniffed("x.nsys-rep", "text")).has_value());
        const auto stream = readReportHeader(
            sniffed("a.bin", "U3w[END]NVIDIA Nsight Systems Stream 2023.4.4.54-234433681190v0!\nxxU3w[END]"));
        QVERIFY(stream && stream->form == ReportForm::rawStream && stream->isComplete);
        QCOMPARE(stream->versionToken, std::string("2023.4.4.54-234433681190v0"));
        QCOMPARE(*stream->version, (NsightRelease{2023, 4, 4}));
    }

    void versions()
    {
        QCOMPARE(findNsysVersion("NVIDIA Nsight Systems version 2025.3.1.90-253135822126v0"),
                 (std::optional<NsightRelease>{{2025, 3, 1}}));
        QCOMPARE(findNsysVersion("build 12, 2023.4"), (std::optional<NsightRelease>{{2023, 4, 0}}));
        QVERIFY(!findNsysVersion("1").has_value());
        QVERIFY(!findNsysVersion("2025").has_value());
        QVERIFY((NsightRelease{2025, 10, 0}) > (NsightRelease{2025, 9, 9}));
    }

    void theSharedHeaderIsTruncated()
    {
        LOCKSTEP_NEED_SHARED_DATA();
        const auto file = sniffFile(lockstep::test::sharedData("nsys/header_2024.6.nsys-rep"));
        const auto report = readNsysReport(*file, {}, Progress());
        QVERIFY(!report.has_value());
        QCOMPARE(report.error().kind, ErrorKind::corrupt);
        QVERIFY(report.error().message.find("2024.6.2") != std::string::npos);
    }

    void withoutNsysTheMessageSaysWhatToDo()
    {
        const TempDir folder;
        const fs::path path = folder.write("my run.nsys-rep", kWhole);
        const auto file = sniffFile(path);
        const auto none = readNsysReport(*file, {{}, folder.path() / "cache"}, Progress());
        QVERIFY(!none.has_value());
        QCOMPARE(none.error().kind, ErrorKind::unsupported);
        QVERIFY(none.error().message.find("2025.6.1 or newer") != std::string::npos);
        QVERIFY(none.error().message.find(
                    "nsys export -t sqlite --lazy=true --include-json=true -o 'my run.sqlite' "
                    "'my run.nsys-rep'") != std::string::npos);
        writeNsys(folder, "old", "2024.7.9.1", "exit 1");
        const auto old =
            readNsysReport(*file, {{folder.path() / "old"}, folder.path() / "cache"}, Progress());
        QVERIFY(!old.has_value());
        QVERIFY(old.error().message.find("the newest nsys on this machine is 2024.7.9") != std::string::npos);
        QVERIFY(!fs::exists(folder.path() / "calls"));
    }

    void convertsOnceAndKeepsTheExport()
    {
        const TempDir folder;
        const fs::path path = folder.write("run.nsys-rep", kWhole);
        const fs::path ready = writeExport(folder);
        writeNsys(folder, "a", "2025.6.1.1", "exit 1");
        writeNsys(folder, "b", "2026.1.1.204", "cp '" + ready.string() + "' \"$target\"");
        const ConversionFolders places{{folder.path() / "a", folder.path() / "b"}, folder.path() / "cache"};
        const auto report = readNsysReport(*sniffFile(path), places, Progress());
        QVERIFY2(report.has_value(), report ? "" : report.error().message.c_str());
        QCOMPARE((*report)->provenance.kind, std::string("nsys report"));
        QCOMPARE((*report)->provenance.path, path);
        QCOMPARE((*report)->provenance.readFrom.parent_path(), folder.path() / "cache");
        QCOMPARE((*report)->slices.size(), size_t(1));
        const auto details = readSliceDetails(**report, SliceId(0u));
        QVERIFY(details.has_value());
        QCOMPARE(details->source, std::string("CUPTI_ACTIVITY_KIND_KERNEL row 1"));
        // Only passes options that this nsys supports, and does not use a shell.
        const std::string calls = contentOf(folder.path() / "calls");
        QVERIFY(
            calls.starts_with("export -t sqlite --lazy=true --include-json=true --force-overwrite=true -o "));
        QVERIFY(calls.find("--include-blobs") == std::string::npos);
        // The same content under another name, without any nsys.
        const fs::path copy = folder.write("copy.nsys-rep", kWhole);
        const auto again = readNsysReport(*sniffFile(copy), {{}, folder.path() / "cache"}, Progress());
        QVERIFY(again.has_value());
        QCOMPARE(contentOf(folder.path() / "calls"), calls);
    }

    void exitStatusZeroIsNotTrusted()
    {
        const TempDir folder;
        const fs::path path = folder.write("run.nsys-rep", kWhole);
        writeNsys(folder, "bin", "2026.1.1.204",
                  "echo half > \"$target\"; echo 'Exportation error: Cannot read from stream'; exit 0");
        const ConversionFolders places{{folder.path() / "bin"}, folder.path() / "cache"};
        const auto report = readNsysReport(*sniffFile(path), places, Progress());
        QVERIFY(!report.has_value());
        QCOMPARE(report.error().kind, ErrorKind::corrupt);
        QVERIFY(report.error().message.find("cut short") != std::string::npos);
        QVERIFY(fs::is_empty(folder.path() / "cache"));
    }

    void cancelEndsTheProcessGroup()
    {
        const TempDir folder;
        const fs::path path = folder.write("run.nsys-rep", kWhole);
        const fs::path fifo = folder.path() / "fifo";
        QCOMPARE(::mkfifo(fifo.c_str(), 0600), 0);
        // The grandchild keeps the fifo open for writing until it exits.
        writeNsys(folder, "bin", "2026.1.1.204", "sleep 1000 > '" + fifo.string() + "'");
        const int reader = ::open(fifo.c_str(), O_RDONLY | O_NONBLOCK);
        std::stop_source stop;
        const ConversionFolders places{{folder.path() / "bin"}, folder.path() / "cache"};
        std::atomic<bool> isCanceled = false;
        std::jthread job([&] {
            const auto report = readNsysReport(*sniffFile(path), places, Progress(stop.get_token()));
            isCanceled = !report && report.error().kind == ErrorKind::canceled;
        });
        QTRY_VERIFY(fs::exists(folder.path() / "calls"));
        char byte = 0;
        QTRY_COMPARE(::read(reader, &byte, 1), ssize_t(-1)); // there is a writer
        stop.request_stop();
        job.join();
        QVERIFY(isCanceled);
        QVERIFY(!fs::exists(folder.path() / "cache") || fs::is_empty(folder.path() / "cache"));
        QTRY_COMPARE(::read(reader, &byte, 1), ssize_t(0)); // there is no writer left
        ::close(reader);
    }

    void childOutputAndStatus()
    {
        const auto end = runChild("/bin/sh", {"-c", "echo out; echo err >&2; exit 7"}, {});
        QVERIFY(end.has_value());
        QCOMPARE(end->status, 7);
        QCOMPARE(end->output, std::string("out\nerr\n"));
        QCOMPARE(runChild("/bin/sh", {"-c", "kill -9 $$"}, {})->status, 128 + 9);
        QCOMPARE(runChild("/nowhere/nsys", {}, {}).error().kind, ErrorKind::io);
    }

    void installFoldersAreFound()
    {
        const TempDir folder;
        fs::create_directories(folder.path() / "opt/nvidia/nsight-systems/2025.3.1/target-linux-x64");
        fs::create_directories(folder.path() / "usr/local/cuda-12.9/bin");
        const auto folders = nsysFolders("/a::/b:/a", folder.path());
        QCOMPARE(folders[0], fs::path("/a"));
        QCOMPARE(folders[1], fs::path("/b"));
        const auto has = [&](const char* name) {
            return std::ranges::find(folders, folder.path() / name) != folders.end();
        };
        QVERIFY(has("opt/nvidia/nsight-systems/2025.3.1/target-linux-x64"));
        QVERIFY(has("usr/local/cuda-12.9/bin"));
    }

    void messagesAreTranslated()
    {
        QCOMPARE(
            translatedNsysMessage("x\nExportation error: Section Table Reference magic number mismatch\n"),
            (MessageWithHelp{"the report is cut short or still being written", HelpTopic::truncatedFile}));
        QCOMPARE(translatedNsysMessage("all is well"), MessageWithHelp());
        QCOMPARE(lastLine("a\nProcessing [50%]\rFile is corrupted.\r\n \n"),
                 std::string("File is corrupted."));
        QCOMPARE(lastLine(" \n"), std::string());
    }
};

LOCKSTEP_TEST(NsysReportTest, "nsys_report_test")
#include "nsys_report_test.moc"
