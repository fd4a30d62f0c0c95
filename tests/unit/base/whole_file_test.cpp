// SPDX-License-Identifier: Apache-2.0
#include "core/base/whole_file.h"

#include <csignal>

#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

class WholeFileTest : public QObject {
    Q_OBJECT

  private slots:
    void files()
    {
        const test::TempDir folder;
        const std::string large(100'000, 'x');
        QCOMPARE(wholeFileOrEmpty(folder.write("large", large)), large);
        QCOMPARE(*readWholeFile(folder.write("empty", "")), std::string());
        QVERIFY(wholeFileOrEmpty("/proc/self/stat").find(')') != std::string::npos);
    }

    void failures()
    {
        const test::TempDir folder;
        const auto absent = readWholeFile(folder.path() / "absent");
        QVERIFY(!absent && absent.error().kind == ErrorKind::notFound);
        const auto notAFile = readWholeFile(folder.path());
        QVERIFY(!notAFile && notAFile.error().message.ends_with("cannot read: Is a directory"));
    }

    // The kernel answers ESRCH if a process ends between open and read. It must be an error, not an
    // exception.
    void processesThatEnd()
    {
        for (int i = 0; i < 200; ++i) {
            const pid_t child = fork();
            if (child == 0) {
                usleep(static_cast<useconds_t>(i * 5));
                _exit(0);
            }
            const std::filesystem::path stat = "/proc/" + std::to_string(child) + "/stat";
            pid_t ended = 0;
            while (ended == 0) {
                const auto text = readWholeFile(stat);
                QVERIFY(!text || text->find(')') != std::string::npos);
                ended = waitpid(child, nullptr, WNOHANG);
            }
            QVERIFY(!readWholeFile(stat));
        }
    }
};

LOCKSTEP_TEST(WholeFileTest, "whole_file_test")
#include "whole_file_test.moc"
