// SPDX-License-Identifier: Apache-2.0
// Tests that files that are not reports are described by their kind, and that no report is mistaken for one
// of them.
#include "core/readers/foreign_file.h"

#include "tests/support/gzip_text.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

class ForeignFileTest : public QObject {
    Q_OBJECT

  private slots:
    void kindsOfFilesAreNamed_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QString>("sentence"); // empty: may be a report
        const auto row = [](const char* name, const std::string& bytes, const char* sentence) {
            QTest::newRow(name) << name << QByteArray::fromStdString(bytes) << sentence;
        };
        const std::string trace =
            "{\"traceEvents\": [{\"ph\": \"X\", \"ts\": 1, \"dur\": 2, \"name\": \"a\"}]}";
        row("rank0.json", trace, "");
        row("rank0.json.gz", test::gzipped(trace), "");
        row("twice.json.gz", test::gzipped(test::gzipped(trace)), "compressed twice with gzip");
        row("login.json", "<!DOCTYPE html>\n<html><body>Sign in</body></html>", "HTML page");
        row("login.json.gz", test::gzipped("\n<HTML><body>Sign in</body></HTML>"), "HTML page");
        row("triton.json", "[{\"id\": 1, \"timestamps\": [{\"name\": \"REQUEST_START\", \"ns\": 1}]}]",
            "Triton Inference Server");
        row("events.json",
            "[{\"ph\": \"X\", \"ts\": 1, \"dur\": 2, \"name\": \"a\", \"args\": {\"timestamps\": 1}}]", "");
        row("missing.sqlite", "Exporting failed: no such report", "Exporting failed");
        row("notes.txt", "Exporting failed: no such report", ""); // not under a report's name
        row("a.json.part-ab", test::gzipped(trace), "one part of a split file");
        row("table.json", "{\"traceEvents\": [{\"ph\": \"X\", \"ts\": 1, \"args\": {\"table\": \"x\"}}]}",
            "");
    }

    void kindsOfFilesAreNamed()
    {
        QFETCH(QString, name);
        QFETCH(QByteArray, bytes);
        QFETCH(QString, sentence);
        const test::TempDir folder;
        const auto path = folder.write(name.toStdString(), bytes.toStdString());
        const auto said = foreignFileText(sniffFile(path).value());
        QCOMPARE(said.has_value(), !sentence.isEmpty());
        if (said) QVERIFY2(said->find(sentence.toStdString()) != std::string::npos, said->c_str());
    }
};

LOCKSTEP_TEST(ForeignFileTest, "foreign_file_test")
#include "foreign_file_test.moc"
