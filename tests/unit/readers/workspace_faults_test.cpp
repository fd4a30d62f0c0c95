// SPDX-License-Identifier: Apache-2.0
// Saves a workspace on a file system that fails at the n-th write, for every n: the file is the complete old
// one or the complete new one.
#include "core/readers/workspace_file/workspace_file.h"

#include <cerrno>
#include <csignal>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/report_of.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

namespace fs = std::filesystem;
using namespace lockstep;
using lockstep::test::filesIn;
using lockstep::test::TempDir;
using lockstep::test::workspaceOfRanges;

namespace {

enum class Fault { none, fullDisk, kill };

// The faults of the file system, separate in every process.
struct Plan {
    Fault fault = Fault::none;
    int atWrite = 0; // 1 = the first
    int writes = 0;
};
Plan g_plan;
bool g_isFaulty = false;

// The result of one save in a separate process.
struct Outcome {
    bool isSaved = false;
    bool isKilled = false;
    int writes = 0;
};

Outcome saveUnder(Plan plan, const fs::path& path, const Workspace& workspace)
{
    auto* const writes = static_cast<int*>(
        ::mmap(nullptr, sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    const pid_t child = ::fork();
    if (child == 0) {
        g_plan = plan;
        g_isFaulty = true;
        const bool isSaved =
            saveWorkspaceFile(path, workspace, {{"version", "new"}}, Progress(), StoredColumns::raw)
                .has_value();
        g_isFaulty = false;
        *writes = g_plan.writes;
        ::_exit(isSaved ? 0 : 1);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    const Outcome outcome{WIFEXITED(status) && WEXITSTATUS(status) == 0, WIFSIGNALED(status) != 0, *writes};
    ::munmap(writes, sizeof(int));
    return outcome;
}

std::string versionOrError(const fs::path& path)
{
    const auto contents = openWorkspaceFile(path, Progress(test::workers()));
    return contents ? contents->sections.at("version") : contents.error().message;
}

bool knowsNamelessFiles(const fs::path& folder)
{
    const int file = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (file >= 0) ::close(file);
    return file >= 0;
}

// The behavior of this program's write() while a plan is active.
ssize_t faultyWrite(int file, const void* bytes, size_t size)
{
    ++g_plan.writes;
    if (g_plan.fault == Fault::fullDisk && g_plan.writes >= g_plan.atWrite) {
        errno = ENOSPC;
        return -1;
    }
    if (g_plan.fault == Fault::kill && g_plan.writes == g_plan.atWrite) {
        ::syscall(SYS_write, file, bytes, size / 2); // a torn write
        ::raise(SIGKILL);
    }
    return ::syscall(SYS_write, file, bytes, size);
}

} // namespace

// Replaces the system's function, for the whole test program.
extern "C" ssize_t write(int file, const void* bytes, size_t size)
{
    return g_isFaulty ? faultyWrite(file, bytes, size) : ::syscall(SYS_write, file, bytes, size);
}

class WorkspaceFaultsTest : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase()
    {
        const TempDir folder;
        const Outcome whole = saveUnder({}, folder.path() / "w.lockstep", workspaceOfRanges(100'000));
        QVERIFY(whole.isSaved);
        m_writes = whole.writes;
        QVERIFY2(m_writes >= 5, std::to_string(m_writes).c_str());
    }

    void fullDiskAtEveryWrite()
    {
        const TempDir folder;
        const auto path = folder.path() / "w.lockstep";
        QVERIFY(saveWorkspaceFile(path, workspaceOfRanges(10), {{"version", "old"}}, Progress()));
        const Workspace next = workspaceOfRanges(100'000);
        for (int write = 1; write <= m_writes; ++write) {
            const Outcome outcome = saveUnder({Fault::fullDisk, write}, path, next);
            QVERIFY2(!outcome.isSaved && !outcome.isKilled, std::to_string(write).c_str());
            QCOMPARE(versionOrError(path), std::string("old"));
            QCOMPARE(filesIn(folder.path()), size_t(1)); // the copy is removed
        }
        QVERIFY(saveUnder({Fault::fullDisk, m_writes + 1}, path, next).isSaved);
        QCOMPARE(versionOrError(path), std::string("new"));
    }

    void killedAtEveryWrite()
    {
        const TempDir folder;
        const auto path = folder.path() / "w.lockstep";
        QVERIFY(saveWorkspaceFile(path, workspaceOfRanges(10), {{"version", "old"}}, Progress()));
        const Workspace next = workspaceOfRanges(100'000);
        for (int write = 1; write <= m_writes; ++write) {
            QVERIFY2(saveUnder({Fault::kill, write}, path, next).isKilled, std::to_string(write).c_str());
            QCOMPARE(versionOrError(path), std::string("old"));
            if (knowsNamelessFiles(folder.path())) QCOMPARE(filesIn(folder.path()), size_t(1));
        }
        QVERIFY(saveUnder({Fault::kill, m_writes + 1}, path, next).isSaved);
        QCOMPARE(versionOrError(path), std::string("new"));
    }

  private:
    int m_writes = 0;
};

LOCKSTEP_TEST(WorkspaceFaultsTest, "workspace_faults_test")
#include "workspace_faults_test.moc"
