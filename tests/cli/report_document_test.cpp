// SPDX-License-Identifier: Apache-2.0
// Tests `--export report`: one self-contained HTML file, whatever names the files contain, with the same
// bytes for any number of workers. Also tests `--sql` for scripts.
#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <QXmlStreamReader>

#include "tests/support/program_run.h"
#include "tests/support/small_disk.h"
#include "tests/support/sqlite_file.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"

using lockstep::test::ProgramRun;
using lockstep::test::runLockstep;
using lockstep::test::TempDir;

namespace {

constexpr const char* kEvil =
    "<script src='https://evil.example/x.js'>alert(\\\"1\\\")</script>&amp;\\u0001]]>";

std::string traceOf(int rank, const std::string& name, int kernels)
{
    std::string text = R"({"schemaVersion": 1, "distributedInfo": {"backend": "nccl", "rank": )" +
                       std::to_string(rank) + R"(, "world_size": 2}, "traceEvents": [)";
    for (int i = 0; i < kernels; ++i) {
        text += (i > 0 ? ",\n" : "\n") + std::string(R"({"ph": "X", "cat": "kernel", "name": ")") + name +
                std::to_string(i % 300) + R"(", "pid": 0, "tid": 7, "ts": )" +
                std::to_string(1'694'128'201'000'000 + 10 * i) +
                R"(, "dur": 2, "args": {"device": 0, "stream": 7}})";
    }
    return text + "]}";
}

QString pathOf(const std::filesystem::path& path)
{
    return QString::fromStdString(path.string());
}

QByteArray bytesOf(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

} // namespace

class ReportDocumentTest : public QObject {
    Q_OBJECT

  private slots:
    void isSelfContained()
    {
        const TempDir folder;
        folder.write("a.json", traceOf(0, kEvil, 2'000));
        folder.write("b.json", traceOf(1, "gemm", 2'000));
        const QString to = pathOf(folder.path() / "report.html");
        const ProgramRun run = runLockstep({"--export", "report", "-o", to, pathOf(folder.path())});
        QVERIFY2(run.status == 0, run.errors);
        const QByteArray html = bytesOf(to);
        QVERIFY(html.startsWith("<!DOCTYPE html>"));
        QVERIFY(html.contains("2 reports, 2 ranks"));
        // Nothing is downloaded and nothing runs: the file has no script, and no addresses outside itself.
        QVERIFY(!html.contains("<script"));
        QVERIFY(html.contains("&lt;script"));
        const QString text = QString::fromUtf8(html);
        static const QRegularExpression kAddress("(?:src|href|srcset)=\"(?!data:|#)");
        QVERIFY(!kAddress.match(text).hasMatch());
        QVERIFY(!text.contains("url(") && !text.contains("@import"));
        QVERIFY(html.contains("default-src 'none'"));
        // Pictures for both themes, the true size of the truncated table, and the source of everything.
        QCOMPARE(html.count("data:image/"), 2);
        QVERIFY(html.contains("First 200 of 600 rows"));
        QVERIFY(html.contains("sha256"));
        QVERIFY(html.contains("prefers-color-scheme: dark") && html.contains("@media print"));
        QVERIFY(html.contains("Not in this report"));
    }

    // The heading is the title of the window. No column is left out without a note.
    void namesTheRunAndAllColumns()
    {
        const TempDir folder;
        std::filesystem::create_directories(folder.path() / "night & day");
        folder.write("night & day/a.json", traceOf(0, "gemm", 50));
        folder.write("night & day/b.json", traceOf(1, "gemm", 50));
        const QString text =
            QString::fromUtf8(runLockstep({"--export", "report", pathOf(folder.path())}).output);
        QVERIFY(text.contains("<title>night &amp; day \u2014 Lockstep</title>"));
        QVERIFY(text.contains("<h1>night &amp; day</h1>") && text.contains(">2 reports, 2 ranks</p>"));
        static const QRegularExpression kSection("<section><h2 id=\"([^\"]+)\".*?</section>",
                                                 QRegularExpression::DotMatchesEverythingOption);
        static const QRegularExpression kNote("(\\d+) of (\\d+) columns? ha(?:s|ve) no values");
        int tables = 0, withoutValues = 0;
        for (auto found = kSection.globalMatch(text); found.hasNext();) {
            const QRegularExpressionMatch section = found.next();
            const qsizetype shown = section.captured().count("<th "), all = section.captured().count("<dt>");
            if (shown == 0) continue;
            const int left = kNote.match(section.captured()).captured(1).toInt();
            QVERIFY2(shown + left == all, qPrintable(section.captured(1)));
            ++tables;
            withoutValues += left;
        }
        QVERIFY(tables > 5 && withoutValues > 5);
        QVERIFY(text.contains(">rank_from</th>")); // the source of each part of the identity
        QCOMPARE(text.count("<table>"), text.count("<div class=\"scroll\""));
        QVERIFY(!text.contains("main { max-width")); // the page is as wide as the browser's window
    }

    // The findings of the Findings panel, in its order and with all recommendations.
    void findingsAreComplete()
    {
        const TempDir folder;
        folder.write("a.json", traceOf(0, "gemm", 50));
        folder.write("b.json", traceOf(1, "gemm", 50));
        const QString text =
            QString::fromUtf8(runLockstep({"--export", "report", pathOf(folder.path())}).output);
        const QByteArray json =
            runLockstep({"--export", "findings", "--format", "json", pathOf(folder.path())}).output;
        const QJsonArray rows = QJsonDocument::fromJson(json)["tables"][0]["rows"].toArray();
        QVERIFY(!rows.isEmpty());
        qsizetype at = 0;
        for (const QJsonValue& row : rows) {
            at = text.indexOf("<h3>" + row["finding"].toString().toHtmlEscaped() + "</h3>", at);
            QVERIFY2(at > 0, qPrintable(row["finding"].toString()));
            QVERIFY(text.indexOf("<li>" + row["advice"].toString().toHtmlEscaped(), at) > at);
        }
        QCOMPARE(text.count("<article class=\"finding "), rows.size());
        QVERIFY(text.contains("Host waits: batch small kernels in a CUDA graph"));
        QVERIFY(text.contains("threshold 80 %"));
    }

    // Each chart is well-formed SVG.
    void chartsAreWellFormed()
    {
        const TempDir folder;
        folder.write("a.json", traceOf(0, kEvil, 50));
        const ProgramRun run = runLockstep({"--export", "report", pathOf(folder.path())});
        QVERIFY2(run.status == 0, run.errors);
        const QString text = QString::fromUtf8(run.output);
        static const QRegularExpression kChart("<svg class=\"chart\".*?</svg>",
                                               QRegularExpression::DotMatchesEverythingOption);
        int charts = 0;
        for (auto found = kChart.globalMatch(text); found.hasNext(); ++charts) {
            QXmlStreamReader xml(found.next().captured());
            while (!xml.atEnd())
                xml.readNext();
            QVERIFY2(!xml.hasError(), qPrintable(xml.errorString()));
        }
        QVERIFY(charts >= 2);
    }

    void sameBytes()
    {
        const TempDir folder;
        folder.write("a.json", traceOf(0, "gemm", 500));
        folder.write("b.json", traceOf(1, "gemm", 400));
        const QByteArray once =
            runLockstep({"--export", "report", "--jobs", "1", pathOf(folder.path())}).output;
        QVERIFY(once.size() > 10'000);
        for (const char* jobs : {"1", "2", "8"})
            QCOMPARE(runLockstep({"--export", "report", "--jobs", jobs, pathOf(folder.path())}).output, once);
    }

    void conflictingOptions()
    {
        QCOMPARE(runLockstep({"--export", "inventory", "--format", "html", "/tmp"}).status, 2);
        QCOMPARE(runLockstep({"--export", "report,inventory", "-o", "a.html", "/tmp"}).status, 2);
        QCOMPARE(runLockstep({"--sql", "SELECT 1", "--export", "inventory", "/tmp"}).status, 2);
        QCOMPARE(runLockstep({"--sql", "SELECT 1", "--by", "rank", "/tmp"}).status, 2);
        QCOMPARE(runLockstep({"--sql", "SELECT 1", "--filter", "rank=0", "/tmp"}).status, 2);
        QCOMPARE(runLockstep({"--sql", "SELECT 1"}).status, 2);
        // Every requested part that is left out is reported.
        for (const char* what : {"sqlite", "chrome", "perfetto", "workspace"}) {
            QCOMPARE(runLockstep({"--export", what, "--filter", "rank=0", "-o", "a.file", "/tmp"}).status, 2);
            QCOMPARE(runLockstep({"--export", what, "--by", "rank", "-o", "a.file", "/tmp"}).status, 2);
            QCOMPARE(
                runLockstep({"--export", what, "--time-range", "1ms..2ms", "-o", "a.file", "/tmp"}).status,
                2);
        }
        QCOMPARE(runLockstep({"--export", "report", "--baseline", "/tmp", "/tmp"}).status, 2);
    }

    // The tables of --sql, for other tools.
    void sqliteFile()
    {
        const TempDir folder;
        const QString trace = pathOf(folder.write("a.json", traceOf(3, kEvil, 600)));
        const auto file = folder.path() / "run.sqlite";
        for (int i = 0; i < 2; ++i) // the second time overwrites the first file
            QCOMPARE(runLockstep({"--export", "sqlite", "-o", pathOf(file), trace}).status, 0);
        QCOMPARE(lockstep::test::askSql(file, "SELECT count(*) FROM kernel WHERE rank = 3"), 600);
        QCOMPARE(
            lockstep::test::askSql(file, "SELECT sum(k.duration_ns) FROM kernel k JOIN slice s USING (id)"),
            1'200'000);
        QVERIFY(lockstep::test::askSql(file, "SELECT count(*) FROM documentation WHERE length(meaning) > 3")
                    .value() > 100);
        QCOMPARE(QDir(pathOf(folder.path())).entryList(QDir::Files | QDir::Hidden).size(), 2);
        QCOMPARE(runLockstep({"--export", "sqlite", trace}).status, 2);
        QCOMPARE(runLockstep({"--export", "sqlite", "-o", "/proc/no/x.sqlite", trace}).status, 1);
    }

    // The file is complete or does not exist, and no temporary file remains next to it.
    void fullDisk()
    {
        const TempDir folder;
        const QString trace = pathOf(folder.write("a.json", traceOf(3, "gemm", 5'000)));
        const lockstep::test::SmallDisk disk(folder.path() / "disk", "256k");
        if (!disk.isMounted) QSKIP("file systems are mounted by root only");
        for (const QString name : {"run.sqlite", "run.json"}) {
            const QString file = pathOf(folder.path() / "disk") + "/" + name;
            const ProgramRun run =
                runLockstep({"--export", name.endsWith("json") ? "chrome" : "sqlite", "-o", file, trace});
            QCOMPARE(run.status, 1);
            QVERIFY2(run.errors.contains(name.toUtf8()), run.errors);
            QCOMPARE(QDir(pathOf(folder.path() / "disk")).entryList(QDir::Files | QDir::Hidden).size(), 0);
        }
    }

    // Files with the same name in several folders are distinguished. Parts that could not be made are
    // reported and counted.
    void contentsOfTheReport()
    {
        const TempDir folder;
        std::filesystem::create_directories(folder.path() / "node0");
        std::filesystem::create_directories(folder.path() / "node1");
        folder.write("node0/trace.json", traceOf(0, "gemm", 30));
        folder.write("node1/trace.json", traceOf(1, "gemm", 30));
        const ProgramRun same = runLockstep({"--export", "report", pathOf(folder.path())});
        QCOMPARE(same.status, 0);
        QVERIFY(same.output.contains("node0/trace.json</td>") &&
                same.output.contains("node1/trace.json</td>"));
        const ProgramRun parts =
            runLockstep({"--export", "report", "--by", "communicator", pathOf(folder.path())});
        QCOMPARE(parts.status, 3);
        QVERIFY2(parts.errors.contains("report: missing bottlenecks"), parts.errors);
        QVERIFY(parts.output.contains("Not in this report") && parts.output.contains("</html>"));
        const ProgramRun picture = runLockstep({"--export", "timeline", "--filter", "rank=0", "-o",
                                                pathOf(folder.path() / "t.png"), pathOf(folder.path())});
        QVERIFY2(picture.errors.contains("use --lanes to select"), picture.errors);
        QVERIFY(runLockstep({"--sql", "question.sql", pathOf(folder.path())})
                    .errors.contains("neither an existing file nor a query"));
    }

    // One trace of both ranks, which can be opened again.
    void tracesForOtherTools()
    {
        const TempDir folder, to;
        folder.write("a.json", traceOf(0, kEvil, 60));
        folder.write("b.json", traceOf(1, "gemm", 40));
        const QString question = "SELECT count(*) AS n, sum(duration_ns) AS total_ns FROM kernel";
        const QByteArray answer = runLockstep({"--sql", question, pathOf(folder.path())}).output;
        for (const char* format : {"chrome", "perfetto"}) {
            const QString file = pathOf(to.path() / format);
            QCOMPARE(runLockstep({"--export", format, "-o", file, pathOf(folder.path())}).status, 0);
            QCOMPARE(runLockstep({"--sql", question, file}).output, answer);
        }
        QVERIFY(!QJsonDocument::fromJson(bytesOf(pathOf(to.path() / "chrome"))).isNull());
    }

    void queries()
    {
        const TempDir folder;
        const QString trace = pathOf(folder.write("a.json", traceOf(3, "gemm", 600)));
        const QString file = pathOf(folder.write("question.sql", "SELECT rank, count(*) AS n FROM kernel\n"));
        const ProgramRun csv = runLockstep({"--sql", file, trace});
        QVERIFY2(csv.status == 0, csv.errors);
        QCOMPARE(csv.output, QByteArray("rank,n\n3,600\n"));
        const ProgramRun json = runLockstep({"--sql", "SELECT duration_ns, NULL AS absent FROM kernel",
                                             "--rows", "2", "--timeunit", "us", "--format", "json", trace});
        const QJsonObject table = QJsonDocument::fromJson(json.output)["tables"][0].toObject();
        QCOMPARE(table["rows"].toArray().size(), 2);
        QCOMPARE(table["rows"][0]["duration_us"].toDouble(), 2.0);
        QVERIFY(table["rows"][0]["absent"].isNull());
        QVERIFY(json.output.contains("truncated after 2 rows"));
        const ProgramRun wrong = runLockstep({"--sql", "SELECT nothing FROM kernel", trace});
        QCOMPARE(wrong.status, 2);
        QCOMPARE(wrong.errorLines().size(), 1);
        QVERIFY(runLockstep({"--sql-schema"}).output.startsWith("report: "));
    }
};

LOCKSTEP_TEST(ReportDocumentTest, "report_document_test")
#include "report_document_test.moc"
