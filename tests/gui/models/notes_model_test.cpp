// SPDX-License-Identifier: Apache-2.0
// Tests NotesModel: rows of failures, notes and skipped files, the most severe first.
#include "ui/models/notes_model.h"

#include <QAbstractItemModelTester>
#include <QPushButton>

#include "tests/support/report_of_bytes.h"
#include "tests/support/test_registry.h"
#include "ui/models/report_list.h"
#include "ui/models/table_roles.h"
#include "ui/panels/notes_panel.h"

using namespace lockstep;

class NotesModelTest : public QObject {
    Q_OBJECT

  private slots:
    void mostSevereFirst()
    {
        auto report = std::make_shared<Report>();
        report->provenance.path = "/x/a.json";
        report->notes.add("json.odd_row", NoteSeverity::warning, "a row was odd", "byte 12", 1234);
        report->notes.add("file.truncated", NoteSeverity::dataLoss, "the file is cut", "byte 99");
        ReportEntry open;
        open.state = ReportState::open;
        open.report = report;
        ReportEntry failed;
        failed.path = "/x/bad.sqlite";
        failed.state = ReportState::failed;
        failed.error = {ErrorKind::corrupt, "/x/bad.sqlite: not a database; copy it again",
                        HelpTopic::truncatedFile};
        const std::vector<SkippedFile> skipped{{"/x/readme.md", "no report", {}, HelpTopic::unrecognizedFile},
                                               {"/x/b.md", "no report", {}, HelpTopic::unrecognizedFile}};

        NotesModel model;
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setRows(noteRows({open, failed}, skipped));
        QCOMPARE(model.rowCount(), 4);
        const auto text = [&](int row, int column, int role = Qt::DisplayRole) {
            return model.index(row, column).data(role).toString();
        };
        QCOMPARE(text(0, NotesModel::severityColumn), "not opened");
        QCOMPARE(text(0, NotesModel::kindColumn), "file.corrupt");
        QCOMPARE(text(1, NotesModel::severityColumn), "data loss");
        QCOMPARE(text(2, NotesModel::severityColumn), "warning");
        QCOMPARE(text(2, NotesModel::countColumn), "1,234");
        QCOMPARE(text(2, NotesModel::countColumn, copyRole), "1234");
        QCOMPARE(text(2, NotesModel::exampleColumn), "byte 12");
        QCOMPARE(text(3, NotesModel::countColumn), "2"); // both skipped files in one row
        QVERIFY(text(3, NotesModel::exampleColumn).contains("b.md"));
        // From the error, from the kind of the note, and from the search.
        QCOMPARE(model.rows()[0].help, HelpTopic::truncatedFile);
        QCOMPARE(model.rows()[1].help, HelpTopic::truncatedFile);
        QCOMPARE(model.rows()[2].help, HelpTopic::none);
        QCOMPARE(model.rows()[3].help, HelpTopic::unrecognizedFile);
    }

    void equalNotesOfReportsAreOneRow()
    {
        std::vector<ReportEntry> entries;
        for (int rank = 0; rank < 8; ++rank) {
            auto report = std::make_shared<Report>();
            report->provenance.path = "/x/rank" + std::to_string(rank) + ".json";
            report->notes.add("json.odd_row", NoteSeverity::warning, "a row was odd",
                              "byte " + std::to_string(rank), 3);
            if (rank == 5) report->notes.add("json.odd_pair", NoteSeverity::warning, "a pair was odd", "", 1);
            ReportEntry open;
            open.state = ReportState::open;
            open.report = report;
            entries.push_back(open);
        }
        NotesModel model;
        model.setRows(noteRows(entries, {}));
        QCOMPARE(model.rowCount(), 2);
        const auto text = [&](int row, int column, int role = Qt::DisplayRole) {
            return model.index(row, column).data(role).toString();
        };
        QCOMPARE(text(0, NotesModel::countColumn), "24");
        QCOMPARE(text(0, NotesModel::reportColumn), "8 reports");
        QCOMPARE(text(0, NotesModel::exampleColumn), "byte 0");
        QCOMPARE(text(0, NotesModel::reportColumn, Qt::ToolTipRole).count('\n'), 7);
        QVERIFY(text(1, NotesModel::reportColumn).contains("rank5"));
    }

    // A merged trace is listed with the traces whose work it repeats.
    void repeatedWorkIsListed()
    {
        const auto opened = [](uint32_t key, const std::vector<std::string>& pids) {
            std::string events;
            for (const std::string& pid : pids)
                events += std::string(events.empty() ? "" : ",") +
                          R"({"ph":"X","cat":"cuda_runtime","name":"l","tid":1,"dur":2,"ts":1,"pid":)" + pid +
                          R"(},{"ph":"X","cat":"kernel","name":"gemm","tid":7,"dur":5,"ts":9,"pid":)" + pid +
                          R"(,"args":{"device":0,"stream":7}})";
            ReportEntry entry;
            entry.key = ReportKey(key);
            entry.state = ReportState::open;
            entry.report = test::reportOfBytes("{\"traceEvents\":[" + events + "]}");
            entry.identity = std::make_shared<const ReportIdentity>(identityOf(*entry.report, {}, {}));
            return entry;
        };
        const ReportEntry one = opened(0, {"5"}), both = opened(1, {"\"[TP00] 5\"", "\"[TP01] 5\""});
        const auto count = [](const std::vector<NoteRow>& rows) {
            return std::ranges::count(rows, "report.repeated", &NoteRow::kind);
        };
        QCOMPARE(count(noteRows({one, both}, {})), std::ptrdiff_t(1));
        QCOMPARE(count(noteRows({one}, {})), std::ptrdiff_t(0));
        QCOMPARE(count(noteRows({both}, {})), std::ptrdiff_t(0));
    }

    void severitiesAreSwitched()
    {
        auto report = std::make_shared<Report>();
        report->provenance.path = "/x/a.json";
        report->notes.add("json.odd_row", NoteSeverity::warning, "a row was odd", "byte 12", 1234);
        report->notes.add("file.cut", NoteSeverity::dataLoss, "the file is cut", "byte 99");
        ReportEntry open;
        open.state = ReportState::open;
        open.report = report;
        ReportList list;
        list.entries().push_back(open);
        list.addSkippedFiles({{"/x/readme.md", "no report"}});
        NotesPanel panel(list);
        panel.show();
        QCOMPARE(panel.model().rowCount(), 3);
        QCOMPARE(panel.severitySwitch(NoteGravity::warning)->text(), "warning  1");
        QVERIFY(panel.severitySwitch(NoteGravity::missing)->isHidden());
        panel.severitySwitch(NoteGravity::warning)->click();
        panel.severitySwitch(NoteGravity::info)->click();
        QCOMPARE(panel.model().rowCount(), 1);
        QCOMPARE(panel.model().rows()[0].kind, std::string("file.cut"));
        panel.severitySwitch(NoteGravity::info)->click();
        QCOMPARE(panel.model().rowCount(), 2);
    }
};

LOCKSTEP_TEST(NotesModelTest, "notes_model_test")
#include "notes_model_test.moc"
