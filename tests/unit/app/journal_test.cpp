// SPDX-License-Identifier: Apache-2.0
// Tests that unsaved work survives its program, is offered to one other program, and is removed on a regular
// exit.
#include "app/cli/journal.h"

#include <thread>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/cli/unsaved_work.h"
#include "core/trace/identity.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

namespace fs = std::filesystem;

namespace {

// Another program that is killed with this in its journal.
void leaveJournal(const fs::path& below, const std::string& text)
{
    const pid_t child = ::fork();
    if (child == 0) {
        auto journal = Journal::begin(below);
        if (journal) static_cast<void>(journal->write(text));
        ::raise(SIGKILL);
    }
    ::waitpid(child, nullptr, 0);
}

} // namespace

class JournalTest : public QObject {
    Q_OBJECT

  private slots:
    void workOfAKilledProgramIsRecoveredOnce()
    {
        const test::TempDir folder;
        leaveJournal(folder.path(), "unsaved");
        std::vector<Journal> left = Journal::takeAbandoned(folder.path());
        QCOMPARE(left.size(), size_t(1));
        QCOMPARE(left[0].read().value(), std::string("unsaved"));
        QVERIFY(Journal::takeAbandoned(folder.path()).empty()); // while another program has it open
        left.clear();
        left = Journal::takeAbandoned(folder.path()); // released and not removed: it remains
        QCOMPARE(left.size(), size_t(1));
        left[0].remove();
        QCOMPARE(test::filesIn(folder.path()), size_t(0));
    }

    void journalOfARunningProgramIsNotRecovered()
    {
        const test::TempDir folder;
        const auto own = Journal::begin(folder.path() / "new" / "folders");
        QVERIFY(own && own->write("mine"));
        QVERIFY(Journal::takeAbandoned(folder.path() / "new" / "folders").empty());
        struct stat status = {};
        ::stat(own->file().c_str(), &status);
        QCOMPARE(status.st_mode & 0777u, 0600u);
        ::stat(own->folder().c_str(), &status);
        QCOMPARE(status.st_mode & 0777u, 0700u);
        QVERIFY(own->clear());
        QVERIFY(own->clear()); // an empty journal is not a failure
        QVERIFY(!fs::exists(own->file()));
    }

    void emptyJournalsAreRemovedAndLinksNotFollowed()
    {
        const test::TempDir folder;
        fs::create_directories(folder.path() / "journals");
        const pid_t child = ::fork();
        if (child == 0) {
            static_cast<void>(Journal::begin(folder.path() / "journals"));
            ::raise(SIGKILL);
        }
        ::waitpid(child, nullptr, 0);
        folder.write("elsewhere/lock", "");
        folder.write("elsewhere/unsaved.json", "not ours");
        fs::create_directory_symlink(folder.path() / "elsewhere", folder.path() / "journals/window-1-a");
        QVERIFY(Journal::takeAbandoned(folder.path() / "journals").empty());
        QCOMPARE(test::filesIn(folder.path() / "journals"), size_t(1)); // the link
        QCOMPARE(test::contentOf(folder.path() / "elsewhere/unsaved.json"), std::string("not ours"));
    }

    void theNewestComesFirst()
    {
        const test::TempDir folder;
        for (const char* const text : {"first", "second", "third"})
            leaveJournal(folder.path(), text);
        const std::vector<Journal> left = Journal::takeAbandoned(folder.path());
        QCOMPARE(left.size(), size_t(3));
        QCOMPARE(left.front().read().value(), std::string("third"));
    }

    void twoProgramsRecoverEachJournalOnce()
    {
        const test::TempDir folder;
        for (int i = 0; i < 20; ++i)
            leaveJournal(folder.path(), std::to_string(i));
        std::vector<Journal> one, two;
        std::thread other([&] { two = Journal::takeAbandoned(folder.path()); });
        one = Journal::takeAbandoned(folder.path());
        other.join();
        QCOMPARE(one.size() + two.size(), size_t(20));
    }

    void damagedJournalsAreSetAside()
    {
        const test::TempDir folder;
        leaveJournal(folder.path(), "{\"version\":1,");
        std::vector<Journal> left = Journal::takeAbandoned(folder.path());
        QVERIFY(!parseUnsavedWork(left.at(0).read().value()));
        const auto aside = left[0].setAside();
        QVERIFY(aside);
        QCOMPARE(test::contentOf(*aside), std::string("{\"version\":1,"));
        left.clear();
        QVERIFY(Journal::takeAbandoned(folder.path()).empty());
    }

    void workIsRecoveredUnchanged()
    {
        UnsavedWork work;
        work.at_ns = 1'764'000'000'000'000'000;
        work.workspace = "/runs/a.lockstep";
        work.sections = {{"marks", "{\"text\":\"\xC3\xA4\"}"}, {"window", "{}"}};
        work.session = "lockstep_session: 1\n";
        work.sessionPath = "/runs/s.yaml";
        Identity stated;
        QVERIFY(editPart(stated, "rank", "3", "set by hand"));
        QVERIFY(editPart(stated, "role", "actor", "who.csv line 3"));
        work.reports = {{"/r/a.json", {}, 0, stated}, {"/r/b.sqlite", "/runs/a.lockstep", 1, {}}};
        const auto back = parseUnsavedWork(unsavedWorkText(work));
        QVERIFY(back);
        QVERIFY(back->isSameAs(work));
        QCOMPARE(back->at_ns, work.at_ns);
        QCOMPARE(back->corrections(), size_t(1));
    }

    void invalidJournalsAreIgnored_data()
    {
        QTest::addColumn<QByteArray>("text");
        for (const char* const text : {"", "x", "[]", "{}", "{\"version\":2,\"session\":\"a\"}",
                                       "{\"version\":1}", "{\"version\":1,\"reports\":[1,{},{\"path\":3}]}",
                                       "{\"version\":1,\"sections\":[],\"session\":7}"})
            QTest::newRow(text) << QByteArray(text);
    }
    void invalidJournalsAreIgnored()
    {
        QFETCH(QByteArray, text);
        QVERIFY(!parseUnsavedWork(text.toStdString()));
    }
};

LOCKSTEP_TEST(JournalTest, "journal_test")
#include "journal_test.moc"
