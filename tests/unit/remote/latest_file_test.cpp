// SPDX-License-Identifier: Apache-2.0
// Tests a file that is written in the background: the newest content remains, no caller waits for a slow
// write, a failure is reported.
#include "core/remote/latest_file.h"

#include <condition_variable>
#include <fstream>
#include <mutex>
#include <sstream>

#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

std::string writtenText(const std::filesystem::path& path)
{
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

// Holds a write back until it is released.
class Gate {
  public:
    void pass()
    {
        std::unique_lock lock(m_mutex);
        m_isReached = true;
        m_changed.notify_all();
        m_changed.wait(lock, [this] { return m_isOpen; });
    }
    void awaitReached()
    {
        std::unique_lock lock(m_mutex);
        m_changed.wait(lock, [this] { return m_isReached; });
    }
    void open()
    {
        const std::scoped_lock lock(m_mutex);
        m_isOpen = true;
        m_changed.notify_all();
    }

  private:
    std::mutex m_mutex;
    std::condition_variable m_changed;
    bool m_isReached = false;
    bool m_isOpen = false;
};

} // namespace

class LatestFileTest : public QObject {
    Q_OBJECT

  private slots:
    void theNewestStays()
    {
        const test::TempDir folder;
        LatestFile file(folder.path() / "ledger.json");
        QVERIFY(file.isWritten());
        int told = 0;
        for (int i = 1; i <= 20; ++i)
            file.save([i] { return std::to_string(i); },
                      [&](const Status& status) { told += status ? 1 : 0; });
        QTRY_COMPARE(told, 20);
        QVERIFY(file.isWritten());
        QCOMPARE(writtenText(folder.path() / "ledger.json"), std::string("20"));
    }

    // An earlier request does not overwrite the current content.
    void nowIsNewerThanSoon()
    {
        const test::TempDir folder;
        const auto path = folder.path() / "ledger.json";
        LatestFile file(path);
        const auto gate = std::make_shared<Gate>();
        bool isLateTold = false;
        file.save([gate] {
            gate->pass();
            return std::string("slow");
        });
        file.save([] { return std::string("late"); }, [&](const Status&) { isLateTold = true; });
        gate->awaitReached(); // and save() returned meanwhile
        gate->open();
        QVERIFY(file.saveNow("now"));
        QTRY_VERIFY(isLateTold);
        QVERIFY(file.isWritten());
        QCOMPARE(writtenText(path), std::string("now"));
    }

    void failuresAreReported()
    {
        const test::TempDir folder;
        folder.write("file", "x");
        LatestFile file(folder.path() / "file" / "ledger.json"); // below a file
        std::string problem;
        file.save([] { return std::string("x"); },
                  [&](const Status& status) { problem = status ? "" : status.error().message; });
        QTRY_VERIFY(!problem.empty());
        QVERIFY(!file.saveNow("x"));
    }

    // The owner may be destroyed while a write waits for the disk.
    void destructorDoesNotWait()
    {
        const test::TempDir folder;
        const auto gate = std::make_shared<Gate>();
        {
            LatestFile file(folder.path() / "a");
            file.save([gate] {
                gate->pass();
                return std::string("a");
            });
            gate->awaitReached();
        }
        gate->open();
        QTRY_VERIFY(!BackgroundWork::hasOrphans());
    }
};

LOCKSTEP_TEST(LatestFileTest, "latest_file_test")
#include "latest_file_test.moc"
