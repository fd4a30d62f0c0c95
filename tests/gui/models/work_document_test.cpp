// SPDX-License-Identifier: Apache-2.0
// Tests WorkDocument: every change is one step, undo reverts only what a step changed, and the document knows
// whether it differs from the saved work.
#include "ui/models/work_document.h"

#include <random>

#include <QSignalSpy>

#include "tests/support/test_registry.h"

using namespace lockstep;
using Difference = WorkDocument::Difference;

namespace {

Mark noteAt(int64_t at_ns, const char* text)
{
    Mark mark;
    mark.begin.aligned = mark.end.aligned = {at_ns};
    mark.text = text;
    mark.axis = std::make_shared<const AxisAnchor>();
    return mark;
}

void addNote(WorkDocument& document, const char* text)
{
    document.edit("add note", [text](Work& work) { QVERIFY(work.marks.add(noteAt(1, text))); });
}

Identity ofRank(int rank)
{
    Identity identity;
    identity.rank = {rank, "by hand"};
    return identity;
}

constexpr ReportKey kFirstReport(0u), kSecondReport(1u);

} // namespace

class WorkDocumentTest : public QObject {
    Q_OBJECT

  private slots:
    void editsAreSteps()
    {
        WorkDocument document;
        QSignalSpy spy(&document, &WorkDocument::changed);
        document.edit("hide report", [](Work& work) { work.hidden.insert(kFirstReport); });
        QCOMPARE(document.undoStack().undoText(), QString("hide report"));
        document.edit("nothing", [](Work& work) { work.hidden.insert(kFirstReport); });
        QCOMPARE(document.undoStack().count(), 1);
        QCOMPARE(spy.count(), 1);
        document.undoStack().undo();
        QVERIFY(document.work().hidden.empty());
        document.undoStack().redo();
        QVERIFY(document.work().hidden.contains(kFirstReport));
        QCOMPARE(spy.count(), 3);
    }

    // Reports are opened and closed while there are steps.
    void undoKeepsOtherReportsAndMarkers()
    {
        WorkDocument document;
        document.edit("rank", [](Work& work) { work.stated[kFirstReport] = ofRank(1); });
        addNote(document, "mine");
        document.adopt([](Work& work) {
            work.stated[kSecondReport] = ofRank(2);
            QVERIFY(work.marks.add(noteAt(5, "of a file")));
        });
        document.undoStack().undo();
        QCOMPARE(document.work().marks.size(), size_t(1));
        QCOMPARE(document.work().marks.all()[0].text, std::string("of a file"));
        document.undoStack().undo();
        QVERIFY(!document.work().stated.contains(kFirstReport) &&
                document.work().stated.contains(kSecondReport));
        document.undoStack().redo();
        QVERIFY(document.work().stated.at(kFirstReport) == ofRank(1));
    }

    void editsWithOneKeyMerge()
    {
        WorkDocument document;
        const auto fold = [&](bool isFolded, const char* key) {
            document.edit(
                "fold", [&](Work& work) { work.lanes.collapsed["a"] = isFolded; }, key);
        };
        document.edit("pin", [](Work& work) { work.lanes.pinned.insert("b"); });
        fold(true, "a");
        fold(false, "a");
        QCOMPARE(document.undoStack().count(), 2);
        document.undoStack().undo();
        QVERIFY(document.work().lanes.collapsed.empty() && document.work().lanes.pinned.contains("b"));
        document.undoStack().redo();
        fold(true, "other");
        QCOMPARE(document.undoStack().count(), 3);
        // Back where the merged step began: the step disappears.
        document.edit(
            "row", [](Work& work) { work.lanes.heights["a"] = 40; }, "a");
        document.edit(
            "row", [](Work& work) { work.lanes.heights.clear(); }, "a");
        QCOMPARE(document.undoStack().count(), 3);
    }

    // Undo of a merged step would take back what the program did between its parts.
    void editsDoNotMergeAcrossAdoptedChanges()
    {
        WorkDocument document;
        document.edit(
            "row", [](Work& work) { work.lanes.heights["a"] = 30; }, "a");
        document.adopt([](Work& work) { work.lanes.collapsed["revealed"] = false; });
        document.edit(
            "row", [](Work& work) { work.lanes.heights["a"] = 40; }, "a");
        QCOMPARE(document.undoStack().count(), 2);
        document.undoStack().undo();
        QVERIFY(document.work().lanes.collapsed.contains("revealed"));
        QCOMPARE(document.work().lanes.heights.at("a"), 30);
    }

    void differsFromTheSavedWork()
    {
        WorkDocument document;
        QCOMPARE(document.sinceSaved(), Difference::none);
        document.edit("hide", [](Work& work) { work.hidden.insert(kFirstReport); });
        QCOMPARE(document.sinceSaved(), Difference::arrangement);
        addNote(document, "x");
        QCOMPARE(document.sinceSaved(), Difference::content);
        const Work saving = document.work();
        addNote(document, "while saving");
        document.setSaved(saving);
        QCOMPARE(document.sinceSaved(), Difference::content);
        document.undoStack().undo();
        QCOMPARE(document.sinceSaved(), Difference::none);
        document.undoStack().undo(); // differs from the file now
        QCOMPARE(document.sinceSaved(), Difference::content);
        document.undoStack().redo();
        QCOMPARE(document.sinceSaved(), Difference::none);
    }

    // What the program does is no unsaved change, and does not hide one.
    void adoptedChangesAreNotUnsaved()
    {
        WorkDocument document;
        document.edit("lanes", [](Work& work) { work.lanes.pinned.insert("mine"); });
        document.adopt([](Work& work) {
            work.lanes.collapsed["revealed"] = false;
            work.stated[kFirstReport] = ofRank(3);
        });
        QCOMPARE(document.sinceSaved(), Difference::arrangement);
        QVERIFY(document.work().lanes.pinned.contains("mine"));
        document.reset(document.work(), true);
        document.adopt([](Work& work) { work.forget(kFirstReport); });
        QCOMPARE(document.sinceSaved(), Difference::none);
        QVERIFY(document.work().stated.empty());
        QCOMPARE(document.undoStack().count(), 0);
    }

    void renumberingMovesWhatBelongsToReports()
    {
        Work work;
        work.hidden = {kFirstReport, kSecondReport};
        work.stated[kSecondReport] = ofRank(4);
        work.alignment.options.shifts_ns[kSecondReport] = 9;
        const Work moved = work.renumbered({{kSecondReport, ReportKey(7u)}});
        QCOMPARE(moved.hidden, std::set{ReportKey(7u)});
        QVERIFY(moved.stated.at(ReportKey(7u)) == ofRank(4) && moved.stated.size() == 1);
        QCOMPARE(moved.alignment.options.shifts_ns.at(ReportKey(7u)), int64_t(9));
    }

    // Any steps, undone and redone in any number, lead through the same states.
    void everyStateComesBack()
    {
        std::mt19937 random(7);
        const auto below = [&random](unsigned n) { return static_cast<uint32_t>(random() % n); };
        for (int round = 0; round < 20; ++round) {
            WorkDocument document;
            std::vector<Work> states{document.work()};
            for (int i = 0; i < 30; ++i) {
                document.edit("step", [&](Work& work) {
                    const ReportKey key(below(4));
                    switch (below(7)) {
                    case 0:
                        work.hidden.insert(key);
                        break;
                    case 1:
                        work.hidden.erase(key);
                        break;
                    case 2:
                        work.stated[key] = ofRank(static_cast<int>(below(9)));
                        break;
                    case 3:
                        work.stated.erase(key);
                        break;
                    case 4:
                        QVERIFY(work.marks.add(noteAt(below(9), "n")));
                        break;
                    case 5:
                        work.marks.remove(below(9));
                        break;
                    default:
                        work.lanes.rowHeight = 10 + static_cast<int>(below(50));
                        break;
                    }
                });
                if (document.undoStack().index() == static_cast<int>(states.size()))
                    states.push_back(document.work());
            }
            for (int i = 0; i < 100; ++i) {
                const auto goal = below(static_cast<unsigned>(states.size()));
                document.undoStack().setIndex(static_cast<int>(goal));
                const Work& work = document.work();
                QVERIFY(work.hidden == states[goal].hidden && work.stated == states[goal].stated &&
                        work.lanes == states[goal].lanes &&
                        std::ranges::equal(work.marks.all(), states[goal].marks.all()));
                QCOMPARE(document.sinceSaved() == Difference::none,
                         work.hidden.empty() && work.stated.empty() && work.lanes == Work().lanes &&
                             work.marks.isEmpty());
            }
        }
    }
};

LOCKSTEP_TEST(WorkDocumentTest, "work_document_test")
#include "work_document_test.moc"
