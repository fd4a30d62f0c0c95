// SPDX-License-Identifier: Apache-2.0
// Tests ExitWatchdog: an exiting program ends even if part of it waits forever.
#include "app/run/exit_watchdog.h"

#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/test_registry.h"

using namespace lockstep;
using namespace std::chrono_literals;

namespace {

// Returns the exit status of a program that runs the function while it exits.
template<class Deed>
int statusOf(const Deed& deed)
{
    const pid_t child = ::fork();
    if (child == 0) {
        {
            const ExitWatchdog leave(7, 100ms);
            deed();
        }
        ::_exit(3);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

} // namespace

class ExitWatchdogTest : public QObject {
    Q_OBJECT

  private slots:
    void endsABlockedProgram()
    {
        QCOMPARE(statusOf([] { std::this_thread::sleep_for(60s); }), 7);
    }

    void otherProgramsAreUnaffected()
    {
        QCOMPARE(statusOf([] {}), 3);
    }
};

LOCKSTEP_TEST(ExitWatchdogTest, "exit_watchdog_test")
#include "exit_watchdog_test.moc"
