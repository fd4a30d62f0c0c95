// SPDX-License-Identifier: Apache-2.0
// Tests batch processes that are canceled while they start.
#include <array>
#include <csignal>

#include <fcntl.h>
#include <unistd.h>

#include "core/batch/task_processes.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

std::array<int, 2> g_pipe;

void onSignal(int)
{
    [[maybe_unused]] const ssize_t written = ::write(g_pipe[1], "s", 1);
}

} // namespace

class TaskProcessesTest : public QObject {
    Q_OBJECT

  private slots:
    // Between fork and exec, a child has its parent's signal handlers and pipes. A signal to the child must
    // not reach the parent through them.
    void signalToAStartingChildDoesNotReachTheParent()
    {
        QCOMPARE(::pipe2(g_pipe.data(), O_CLOEXEC | O_NONBLOCK), 0);
        const auto before = std::signal(SIGTERM, onSignal);
        for (int i = 0; i < 100; ++i) {
            std::stop_source stop;
            stop.request_stop();
            const std::vector<TaskProcess> tasks(4, {0, {"/bin/sleep", "60"}, "/dev/null"});
            const auto ends = runProcesses(tasks, 4, stop.get_token(), [](const TaskEnd&) {});
            QVERIFY(!ends && ends.error().kind == ErrorKind::canceled);
        }
        std::signal(SIGTERM, before);
        char byte = 0;
        QCOMPARE(::read(g_pipe[0], &byte, 1), ssize_t(-1));
        ::close(g_pipe[0]);
        ::close(g_pipe[1]);
    }
};

LOCKSTEP_TEST(TaskProcessesTest, "task_processes_test")
#include "task_processes_test.moc"
