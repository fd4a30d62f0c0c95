// SPDX-License-Identifier: Apache-2.0
// Tests which reports show one process: host, pid and time, or rank and other known fields.
#include "core/trace/process_groups.h"

#include "tests/support/report_of.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using lockstep::test::reportOf;

namespace {

constexpr int64_t kSecond_ns = 1'000'000'000;

struct Who {
    std::string host = {};
    int64_t pid = 0;
    std::string role = {};
    int rank = -1;
    Confidence confidence = Confidence::stated;
    std::optional<int64_t> utc_ns = std::nullopt;
};

struct Made {
    Workspace workspace;

    void add(const Who& who)
    {
        Identity said;
        if (!who.host.empty()) said.host.learn(who.host, "test", Confidence::stated);
        if (!who.role.empty()) said.role.learn(who.role, "test", who.confidence);
        if (who.rank >= 0) said.rank.learn(who.rank, "test", who.confidence);
        workspace.add(reportOf({"x", who.pid, {}, {"a", "b"}, who.utc_ns}), {}, said); // 20 ns long
    }
    std::string groups() const
    {
        std::string out;
        for (const ProcessGroup& group : findProcessGroups(workspace)) {
            for (const ProcessMember& member : group.members)
                out += std::to_string(member.report.value);
            out += group.isTimeKnown ? " " : "? ";
        }
        return out;
    }
};

} // namespace

class ProcessGroupsTest : public QObject {
    Q_OBJECT

  private slots:
    void hostAndPid()
    {
        Made made;
        made.add({.host = "a", .pid = 1, .utc_ns = 100 * kSecond_ns});
        made.add({.host = "a", .pid = 1, .utc_ns = 100 * kSecond_ns + 19}); // overlaps by 1 ns
        made.add({.host = "a", .pid = 1, .utc_ns = 200 * kSecond_ns});      // a later step
        made.add({.host = "b", .pid = 1, .utc_ns = 100 * kSecond_ns});      // another host
        made.add({.host = "a", .pid = 2, .utc_ns = 100 * kSecond_ns});      // another process
        made.add({.host = "a", .pid = 1});                                  // only its names match
        QCOMPARE(made.groups(), std::string("0125? 3 4 "));
    }

    void pidIsReusedByAnotherRank()
    {
        Made made;
        made.add({.host = "a", .pid = 1, .rank = 0, .utc_ns = 100 * kSecond_ns});
        made.add({.host = "a", .pid = 1, .rank = 1, .utc_ns = 200 * kSecond_ns});
        made.add({.host = "a", .pid = 1, .role = "actor", .utc_ns = 300 * kSecond_ns});
        made.add({.host = "a", .pid = 1, .role = "critic", .utc_ns = 400 * kSecond_ns});
        QCOMPARE(made.groups(), std::string("02 13 "));
    }

    // Each tool has its own name for a role; concurrent recordings of one process are that process.
    void overlapOutweighsTheRoleName()
    {
        Made made;
        made.add({.host = "a", .pid = 1, .role = "language_model", .rank = 3, .utc_ns = kSecond_ns});
        made.add({.host = "a", .pid = 1, .role = "actor", .rank = 3, .utc_ns = kSecond_ns + 5});
        QCOMPARE(made.groups(), std::string("01 "));
    }

    void rankAndPidWithoutAHost()
    {
        Made made;
        made.add({.host = "a", .pid = 1, .role = "actor", .rank = 3, .utc_ns = kSecond_ns});
        made.add(
            {.pid = 1, .role = "actor", .rank = 3, .utc_ns = kSecond_ns}); // Kineto does not record the host
        made.add({.pid = 1, .rank = 3});                                   // a memory snapshot
        made.add({.pid = 1, .role = "critic", .rank = 3});
        made.add({.pid = 1}); // only a number
        QCOMPARE(made.groups(), std::string("012? 3 4 "));
    }

    void namesWithoutAPid()
    {
        Made made;
        made.add({.role = "actor", .rank = 0});
        made.add({.role = "actor", .rank = 0});
        made.add({.role = "critic", .rank = 0});
        made.add({.host = "a", .role = "critic", .rank = 0});
        made.add({.rank = 0});
        made.add({});
        QCOMPARE(made.groups(), std::string("01? 23? 4 5 "));
    }

    void ambiguousMatchesAreNotUsed()
    {
        Made made;
        made.add({.host = "a", .pid = 1, .role = "actor", .rank = 0});
        made.add({.host = "b", .pid = 1, .role = "actor", .rank = 0});
        made.add({.pid = 1, .role = "actor", .rank = 0});
        QCOMPARE(made.groups(), std::string("0 1 2 "));
    }

    void oneReportIdentifiesTheOthers()
    {
        Made made;
        made.add({.host = "a", .pid = 1, .utc_ns = kSecond_ns});
        made.add({.host = "a", .pid = 1, .role = "actor", .rank = 3, .utc_ns = kSecond_ns + 5});
        completeIdentities(made.workspace);
        const Identity& learnt = made.workspace.identity(ReportKey(0u));
        QCOMPARE(*learnt.rank.value, 3);
        QCOMPARE(learnt.rank.source, std::string("same process in x: test"));
        QCOMPARE(*made.workspace.identity(ReportKey(0u), ProcessId(0u)).role.value, std::string("actor"));
        QCOMPARE(made.workspace.identity(ReportKey(1u)).rank.source, std::string("test"));
        QVERIFY(!learnt.step.isKnown());
    }
};

LOCKSTEP_TEST(ProcessGroupsTest, "process_groups_test")
#include "process_groups_test.moc"
