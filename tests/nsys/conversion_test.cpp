// SPDX-License-Identifier: Apache-2.0
// Tests opening of reports and raw streams written by the vendor's own nsys.
#include <fstream>

#include <unistd.h>

#include "core/base/sha256.h"
#include "core/readers/nsys_report/nsys_install.h"
#include "core/readers/nsys_report/nsys_report_reader.h"
#include "tests/support/real_nsys.h"
#include "tests/support/sqlite_file.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using namespace lockstep::test;
namespace fs = std::filesystem;

namespace {

// Copies only the target half of the installation, as on a node without the host half: such an nsys leaves
// raw streams.
class TargetOnly {
  public:
    TargetOnly() : m_folder(realNsys().folder.parent_path() / ("target-only-" + std::to_string(::getpid())))
    {
        fs::create_directories(m_folder);
        fs::copy(realNsys().folder, m_folder / "target-linux-x64",
                 fs::copy_options::recursive | fs::copy_options::create_hard_links |
                     fs::copy_options::copy_symlinks);
    }
    TargetOnly(const TargetOnly&) = delete;
    TargetOnly& operator=(const TargetOnly&) = delete;
    ~TargetOnly()
    {
        std::error_code ignored;
        fs::remove_all(m_folder, ignored);
    }
    fs::path nsys() const { return m_folder / "target-linux-x64/nsys"; }

  private:
    fs::path m_folder;
};

fs::path recordStream(const fs::path& scratch)
{
    const TargetOnly alone;
    record(scratch, "raw", 3, {"--trace=nvtx,osrt"}, alone.nsys());
    return scratch / "raw.qdstrm";
}

int64_t countOf(const Report& report, RowKind kind)
{
    return std::ranges::count(report.slices.kind, kind);
}

ConversionFolders placesIn(const fs::path& scratch)
{
    return {{realNsys().folder}, scratch / "cache"};
}

} // namespace

class ConversionTest : public QObject {
    Q_OBJECT

  private slots:
    void reportIsConverted()
    {
        LOCKSTEP_NEED_NSYS();
        const TempDir scratch;
        const fs::path path = record(scratch.path(), "run", 3);
        const auto report = readNsysReport(*sniffFile(path), placesIn(scratch.path()), Progress());
        QVERIFY2(report.has_value(), report ? "" : report.error().message.c_str());
        checkThreeSteps(**report);
        QVERIFY((*report)->provenance.producer.find("2022.4.2") != std::string::npos);
        QVERIFY((*report)->clock.utcAtZero_ns.has_value());
        // The values of an export that Lockstep did not make.
        const NsysRun exported =
            runNsys(scratch.path(), {"export", "-t", "sqlite", "-o", "own.sqlite", "run.nsys-rep"});
        QVERIFY2(exported.status == 0, exported.output.constData());
        QCOMPARE(askSql(scratch.path() / "own.sqlite", "SELECT count(*) FROM OSRT_API WHERE eventClass = 27"),
                 std::optional(countOf(**report, RowKind::osRuntime)));
        // A second time without any nsys.
        const ConversionFolders cacheOnly{{}, scratch.path() / "cache"};
        QVERIFY(readNsysReport(*sniffFile(path), cacheOnly, Progress()).has_value());
    }

    void streamIsImported()
    {
        LOCKSTEP_NEED_NSYS();
        const TempDir scratch;
        const fs::path path = recordStream(scratch.path());
        const auto sniff = sniffFile(path);
        QVERIFY2(sniff.has_value(), sniff ? "" : sniff.error().message.c_str());
        const auto header = readReportHeader(*sniff);
        QVERIFY(header && header->form == ReportForm::rawStream && header->isComplete);
        QVERIFY(header->versionToken.starts_with("2022.4.2."));
        // Recognized by its content, whatever its name.
        fs::create_hard_link(path, scratch.path() / "unnamed");
        QVERIFY(readReportHeader(*sniffFile(scratch.path() / "unnamed"))->form == ReportForm::rawStream);
        const auto before = sha256OfFile(path, Progress());
        const auto report = readNsysReport(*sniff, placesIn(scratch.path()), Progress());
        QVERIFY2(report.has_value(), report ? "" : report.error().message.c_str());
        checkThreeSteps(**report);
        QVERIFY(*sha256OfFile(path, Progress()) == *before); // the importer would have written into it
        const auto kept = std::distance(fs::directory_iterator(scratch.path() / "cache"), {});
        QCOMPARE(kept, 1); // only the export
    }

    void streamWithoutAnImporterShowsARemedy()
    {
        LOCKSTEP_NEED_NSYS();
        const TempDir scratch;
        const fs::path path = recordStream(scratch.path());
        const TargetOnly alone;
        const auto none = readNsysReport(
            *sniffFile(path), {{alone.nsys().parent_path()}, scratch.path() / "cache"}, Progress());
        QVERIFY(!none.has_value());
        QCOMPARE(none.error().kind, ErrorKind::unsupported);
        QVERIFY2(none.error().message.find("QdstrmImporter of Nsight Systems 2022.4.2.") != std::string::npos,
                 none.error().message.c_str());
        QVERIFY(none.error().message.find("QdstrmImporter -i raw.qdstrm") != std::string::npos);
        // An nsys of another version would refuse the file and is not run.
        const fs::path other =
            scratch.write("other/QdstrmImporter", "#!/bin/sh\necho NVIDIA Nsight Systems 2023.4.4.54-1v0\n");
        fs::permissions(other, fs::perms::owner_all);
        const ConversionFolders places{{alone.nsys().parent_path(), other.parent_path()},
                                       scratch.path() / "cache"};
        const auto wrong = readNsysReport(*sniffFile(path), places, Progress());
        QVERIFY(!wrong.has_value());
        QVERIFY(wrong.error().message.find("this machine has only that of 2023.4.4.54-1v0") !=
                std::string::npos);
    }

    void truncatedStreamIsRefusedByTheImporter()
    {
        LOCKSTEP_NEED_NSYS();
        const TempDir scratch;
        const fs::path path = recordStream(scratch.path());
        fs::resize_file(path, fs::file_size(path) / 2);
        const auto report = readNsysReport(*sniffFile(path), placesIn(scratch.path()), Progress());
        QVERIFY(!report.has_value());
        QCOMPARE(report.error().kind, ErrorKind::corrupt);
        QVERIFY2(report.error().message.find("could not be imported") != std::string::npos,
                 report.error().message.c_str());
        QVERIFY(fs::is_empty(scratch.path() / "cache"));
    }

    void truncatedReportIsRefused()
    {
        LOCKSTEP_NEED_NSYS();
        const TempDir scratch;
        const fs::path path = record(scratch.path(), "run", 1);
        std::string bytes(fs::file_size(path), '\0');
        std::ifstream(path, std::ios::binary).read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
        fs::resize_file(path, bytes.size() - 5000);
        const auto cut = readNsysReport(*sniffFile(path), placesIn(scratch.path()), Progress());
        QVERIFY(!cut && cut.error().kind == ErrorKind::corrupt);
        // The ends are valid and the middle is damaged: the message of nsys is passed on.
        std::fill(bytes.begin() + 200, bytes.end() - 16, '\0');
        const fs::path hollow = scratch.write("hollow.nsys-rep", bytes);
        const auto report = readNsysReport(*sniffFile(hollow), placesIn(scratch.path()), Progress());
        QVERIFY(!report && report.error().kind == ErrorKind::corrupt);
        QVERIFY2(report.error().message.find("could not be exported by nsys 2022.4.2") != std::string::npos,
                 report.error().message.c_str());
    }

  private:
    static void checkThreeSteps(const Report& report)
    {
        QCOMPARE(countOf(report, RowKind::nvtxPushPop), int64_t(12)); // step, forward, backward, fetch
        QCOMPARE(countOf(report, RowKind::nvtxStartEnd), int64_t(3));
        QCOMPARE(countOf(report, RowKind::nvtxMark), int64_t(3));
        QVERIFY(countOf(report, RowKind::osRuntime) > 0);
    }
};

LOCKSTEP_TEST(ConversionTest, "conversion_test")
#include "conversion_test.moc"
