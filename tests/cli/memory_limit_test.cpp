// SPDX-License-Identifier: Apache-2.0
// Tests --memory-limit, with the kernel's measurements: whatever a file decompresses to, the process stays
// near the limit. It either shows all of the file or refuses it in one sentence with exit status 1. A failed
// allocation is an error of the file and does not end the process.
#include <QtTest>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/oversized_files.h"
#include "tests/support/places.h"
#include "tests/support/program_run.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"

using namespace lockstep::test;
namespace fs = std::filesystem;

namespace {

constexpr qint64 kMiB = 1 << 20;
constexpr qint64 kLimit_bytes = 160 * kMiB;

struct MeasuredRun {
    int status = -1; // -1 when a signal ended it
    qint64 peak_bytes = 0;
    QByteArray errors;
};

// addressSpace_bytes: as set by `ulimit -v`; 0: unlimited.
MeasuredRun measured(const TempDir& folder, QStringList arguments, rlim_t addressSpace_bytes = 0)
{
    const std::string errors = (folder.path() / "errors").string();
    arguments.prepend(builtProgram("lockstep"));
    std::vector<std::string> words;
    for (const QString& word : arguments)
        words.push_back(word.toStdString());
    std::vector<char*> argv;
    for (std::string& word : words)
        argv.push_back(word.data());
    argv.push_back(nullptr);
    const pid_t child = ::fork();
    if (child == 0) {
        ::dup2(::open("/dev/null", O_RDWR), 0);
        ::dup2(0, 1);
        ::dup2(::open(errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), 2);
        // Where huge pages are on for all programs, the kernel rounds the resident memory of a process up to
        // 2 MiB pages in the background. The longer the process runs, the more it adds: on a busy machine,
        // 200 MiB to a process that touches 166 MiB. The test measures what the program touches.
        ::prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
        if (addressSpace_bytes > 0) {
            const rlimit most{addressSpace_bytes, addressSpace_bytes};
            ::setrlimit(RLIMIT_AS, &most);
        }
        ::execv(argv[0], argv.data());
        ::_exit(127);
    }
    MeasuredRun run;
    int status = 0;
    rusage usage = {};
    if (::wait4(child, &status, 0, &usage) != child) return run;
    if (WIFEXITED(status)) run.status = WEXITSTATUS(status);
    run.peak_bytes = qint64(usage.ru_maxrss) * 1024;
    QFile file(QString::fromStdString(errors));
    if (file.open(QIODevice::ReadOnly)) run.errors = file.readAll();
    return run;
}

QString text(const fs::path& path)
{
    return QString::fromStdString(path.string());
}

} // namespace

class MemoryLimitTest : public QObject {
    Q_OBJECT

  private:
    TempDir m_folder{"/var/tmp"}; // on a disk
    qint64 m_usual_bytes = 0;     // of the program with an empty report

    QStringList limited(const fs::path& file) const
    {
        return {"--export",       "inventory",
                "--memory-limit", QString::number(kLimit_bytes),
                "--cache",        text(m_folder.path() / "cache"),
                text(file)};
    }
    void verifyWithin(const fs::path& file)
    {
        QVERIFY(!file.empty());
        const MeasuredRun run = measured(m_folder, limited(file));
        const auto size_bytes = qint64(fs::file_size(file));
        fs::remove(file);
        fs::remove_all(m_folder.path() / "cache");
        qInfo("%lld KiB stored, peak %lld MiB above the usual, status %d %s", size_bytes / 1024,
              (run.peak_bytes - m_usual_bytes) / kMiB, run.status, run.errors.constData());
        QVERIFY2(run.status == 0 || run.status == 1 || run.status == 3, run.errors);
        if (run.status == 1) QVERIFY2(run.errors.contains("than the limit of"), run.errors);
        QVERIFY(run.peak_bytes - m_usual_bytes <= kLimit_bytes + kLimit_bytes / 5);
    }

  private slots:
    void initTestCase()
    {
        const fs::path small =
            m_folder.write("small.json", R"([{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":1}])");
        const MeasuredRun run = measured(m_folder, limited(small));
        QVERIFY2(run.status == 0, run.errors);
        m_usual_bytes = run.peak_bytes;
    }

    void staysNearTheLimit_data()
    {
        QTest::addColumn<size_t>("index");
        const auto files = oversizedFiles();
        for (size_t i = 0; i < files.size(); ++i)
            QTest::newRow(files[i].name) << i;
    }
    void staysNearTheLimit()
    {
        QFETCH(size_t, index);
        verifyWithin(oversizedFiles()[index].write(m_folder.path()));
    }

    void workspaceStaysNearTheLimit()
    {
        const fs::path json = oversizedFiles()[0].write(m_folder.path());
        const fs::path workspace = m_folder.path() / "slices.lockstep";
        const ProgramRun saved = runLockstep({"--export", "workspace", "-o", text(workspace), text(json)});
        QVERIFY2(saved.status == 0, saved.errors);
        fs::remove(json);
        verifyWithin(workspace);
    }

    // With several files at the same time, no file is lost: data that does not fit on the heap is stored on
    // disk.
    void manyAtOnceStayNearTheLimit()
    {
        const fs::path folder = m_folder.path() / "many";
        fs::create_directory(folder);
        const fs::path one = oversizedFiles()[0].write(folder);
        for (const char* const name : {"b.pt.trace.json.zst", "c.pt.trace.json.zst"})
            fs::copy_file(one, folder / name);
        const MeasuredRun run = measured(m_folder, limited(folder));
        fs::remove_all(folder);
        fs::remove_all(m_folder.path() / "cache");
        QVERIFY2(run.status == 0, run.errors);
        QVERIFY(run.peak_bytes - m_usual_bytes <= kLimit_bytes + kLimit_bytes / 5);
    }

    void failedAllocationIsAnErrorOfTheFile_data()
    {
        QTest::addColumn<size_t>("index");
        const auto files = oversizedFiles();
        for (size_t i = 0; i < files.size(); ++i) {
            const QByteArray name = files[i].name;
            if (name.contains("JSON") || name == "memory timeline" || name == "capture")
                QTest::newRow(name) << i;
        }
    }
    void failedAllocationIsAnErrorOfTheFile()
    {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
        QSKIP("sanitizers reserve terabytes of address space");
#endif
        QFETCH(size_t, index);
        const fs::path file = oversizedFiles()[index].write(m_folder.path());
        const QStringList asked{"--export", "inventory", "--memory-limit", "64G", text(file)};
        const MeasuredRun run = measured(m_folder, asked, rlim_t(900) << 20);
        fs::remove(file);
        QVERIFY2(run.status == 0 || run.status == 1 || run.status == 3, run.errors); // 3: it has notes
        if (run.status == 1) QVERIFY2(run.errors.contains("not enough memory"), run.errors);
    }
};

LOCKSTEP_TEST(MemoryLimitTest, "memory_limit_test")
#include "memory_limit_test.moc"
