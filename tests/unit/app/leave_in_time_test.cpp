// SPDX-License-Identifier: Apache-2.0
// LeaveInTime: a program on its way out ends although something in it waits for ever.
#include "app/leave_in_time.h"

#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/test_registry.h"

using namespace lockstep;
using namespace std::chrono_literals;

namespace {

// The exit status of a program that is on its way out while it does that.
template<class Deed>
int statusOf(const Deed& deed)
{
    const pid_t child = ::fork();
    if (child == 0) {
        {
            const LeaveInTime leave(7, 100ms);
            deed();
        }
        ::_exit(3);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

} // namespace

class LeaveInTimeTest : public QObject {
    Q_OBJECT

  private slots:
    void endsWhatWaits()
    {
        QCOMPARE(statusOf([] { std::this_thread::sleep_for(60s); }), 7);
    }

    void leavesOthersAlone()
    {
        QCOMPARE(statusOf([] {}), 3);
    }
};

LOCKSTEP_TEST(LeaveInTimeTest, "leave_in_time_test")
#include "leave_in_time_test.moc"
