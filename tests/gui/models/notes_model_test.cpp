// SPDX-License-Identifier: Apache-2.0
// NotesModel: rows of failures, notes and skipped files, the gravest first.
#include "ui/models/notes_model.h"

#include <QAbstractItemModelTester>
#include <QPushButton>

#include "tests/support/test_registry.h"
#include "ui/models/report_list.h"
#include "ui/models/table_roles.h"
#include "ui/panels/notes_panel.h"

using namespace lockstep;

class NotesModelTest : public QObject {
    Q_OBJECT

  private slots:
    void gravestFirst()
    {
        auto report = std::make_shared<Report>();
        report->provenance.path = "/x/a.json";
        report->notes.add("json.odd_row", NoteSeverity::warning, "a row was odd", "byte 12", 1234);
        report->notes.add("file.cut", NoteSeverity::dataLoss, "the file is cut", "byte 99");
        ReportEntry open;
        open.state = ReportState::open;
        open.report = report;
        ReportEntry failed;
        failed.path = "/x/bad.sqlite";
        failed.state = ReportState::failed;
        failed.error = {ErrorKind::corrupt, "/x/bad.sqlite: not a database; copy it again"};
        const std::vector<PassedOver> skipped{{"/x/readme.md", "no report"}, {"/x/b.md", "no report"}};

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
        QCOMPARE(text(2, NotesModel::countColumn), "1\u2009234");
        QCOMPARE(text(2, NotesModel::countColumn, copyRole), "1234");
        QCOMPARE(text(2, NotesModel::exampleColumn), "byte 12");
        QCOMPARE(text(3, NotesModel::countColumn), "2"); // both skipped files in one row
        QVERIFY(text(3, NotesModel::exampleColumn).contains("b.md"));
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
        list.addPassedOver({{"/x/readme.md", "no report"}});
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
