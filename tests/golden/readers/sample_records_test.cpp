// SPDX-License-Identifier: Apache-2.0
// Reads each file of sample records in tests/golden/samples and compares the report with NAME.txt.
// LOCKSTEP_UPDATE_GOLDEN=1 rewrites the texts; then check the differences.
#include <QDir>
#include <QFile>

#include "core/readers/registry.h"
#include "tests/support/places.h"
#include "tests/support/report_text.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;

class SampleRecordsTest : public QObject {
    Q_OBJECT

  private slots:
    void files_data()
    {
        QTest::addColumn<QString>("path");
        const QDir folder(QString::fromStdString((test::sourceFolder() / "tests/golden/samples").string()));
        for (const QString& name : folder.entryList({"*.json", "*.jsonl", "*.log", "*.pt"}, QDir::Files))
            QTest::newRow(qPrintable(name)) << folder.filePath(name);
    }

    void files()
    {
        QFETCH(QString, path);
        const auto report = readReport(path.toStdString(), Progress(test::workers()));
        QVERIFY2(report, report ? "" : report.error().message.c_str());
        // Every slice leads back to its object in the file.
        for (uint32_t slice = 0; slice < (*report)->slices.size(); ++slice) {
            const auto details = readSliceDetails(**report, SliceId(slice));
            QVERIFY2(details && !details->arguments.empty(), details ? "" : details.error().message.c_str());
        }
        const QByteArray text = QByteArray::fromStdString(test::reportText(**report));
        QFile expected(path + ".txt");
        if (!qEnvironmentVariableIsEmpty("LOCKSTEP_UPDATE_GOLDEN")) {
            QVERIFY(expected.open(QIODevice::WriteOnly));
            expected.write(text);
            return;
        }
        QVERIFY(expected.open(QIODevice::ReadOnly));
        QCOMPARE(text, expected.readAll());
    }
};

LOCKSTEP_TEST(SampleRecordsTest, "sample_records_test")
#include "sample_records_test.moc"
