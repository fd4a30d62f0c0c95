// SPDX-License-Identifier: Apache-2.0
// Tests what an agent recovers of a run from files damaged by a full disk or another program: everything
// readable, and never an exception that would end the agent.
#include "capture/agent/run_history.h"

#include "capture/agent/command_exit.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using namespace lockstep::agent;

class RunHistoryTest : public QObject {
    Q_OBJECT

  private slots:
    void eventsWithUnexpectedTypesAreSkipped()
    {
        const test::TempDir folder;
        folder.write("events.jsonl",
                     "{\"seq\":1,\"t_ns\":\"soon\",\"kind\":\"started\",\"waiting\":1}\n"
                     "{\"seq\":2,\"t_ns\":7,\"kind\":\"step\",\"command\":0,\"step\":\"3\"}\n"
                     "{\"seq\":3,\"t_ns\":8,\"kind\":\"stdout\",\"command\":0,\"to\":-4,\"open\":\"no\"}\n"
                     "{\"seq\":4,\"t_ns\":9,\"kind\":\"report\",\"path\":5,\"size_bytes\":\"many\"}\n"
                     "{\"seq\":5,\"t_ns\":9,\"kind\":[1],\"command\":99999999}\n"
                     "not JSON at all\n"
                     "{\"seq\":6,\"t_ns\":9,\"kind\":\"exit\",\"run\":true,\"code\":0}\n");
        const RunHistory history = readRunHistory(RunFolder(folder.path()));
        QVERIFY(history.hasStarted && history.hasEnded);
        QCOMPARE(history.started_ns, int64_t(7));
        QCOMPARE(history.commands.size(), size_t(1));
        QCOMPARE(history.commands.at(0).out.to, uint64_t(0));
    }

    void damagedExitCodeIsAnError()
    {
        const test::TempDir folder;
        folder.write("exit.json", "{\"code\":\"zero\",\"reason\":[]}");
        const auto exit = readExit(folder.path());
        QVERIFY(exit);
        QCOMPARE(exit->code, -1); // a missing code is not a success
        QVERIFY(!exit->isSuccess());
        folder.write("exit.json", "{\"code\":0");
        QCOMPARE(readExit(folder.path()).error().kind, ErrorKind::corrupt);
    }
};

LOCKSTEP_TEST(RunHistoryTest, "run_history_test")
#include "run_history_test.moc"
