// Reports of one process are one group when host, pid and time agree.
#include "core/readers/identity/same_process.h"

#include "tests/support/report_of.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using lockstep::test::reportOf;

namespace {

constexpr int64_t kSecond_ns = 1'000'000'000;

struct Made {
    Workspace workspace;
    std::vector<Identity> identities;

    void add(const char* host, int64_t pid, std::optional<int64_t> utc_ns)
    {
        workspace.add(reportOf({"x", pid, {}, {"a", "b"}, utc_ns})); // 20 ns long
        Identity identity;
        if (host != nullptr) identity.host.learn(host, "test", Confidence::stated);
        identities.push_back(identity);
    }
    std::string groups() const
    {
        std::string out;
        for (const ProcessGroup& group : groupSameProcess(workspace, identities)) {
            for (const ProcessMember& member : group.members) out += std::to_string(member.report.value);
            out += group.isTimeKnown ? " " : "? ";
        }
        return out;
    }
};

} // namespace

class SameProcessTest : public QObject {
    Q_OBJECT

  private slots:
    void joinsOverlaps()
    {
        Made made;
        made.add("a", 1, 100 * kSecond_ns);
        made.add("a", 1, 100 * kSecond_ns + 19); // overlaps by 1 ns
        made.add("a", 1, 200 * kSecond_ns);      // a later step of the same process
        made.add("b", 1, 100 * kSecond_ns);      // another host
        made.add("a", 2, 100 * kSecond_ns);      // another process
        made.add("a", 1, 100 * kSecond_ns + 39); // touches the second, does not overlap
        QCOMPARE(made.groups(), std::string("01 2 3 4 5 "));
    }

    void unknownTimeIsTold()
    {
        Made made;
        made.add("a", 1, std::nullopt);
        made.add("a", 1, kSecond_ns);
        made.add("a", 3, std::nullopt);
        QCOMPARE(made.groups(), std::string("01? 2 "));
    }

    void unknownHostJoinsNothing()
    {
        Made made;
        made.add(nullptr, 1, kSecond_ns);
        made.add("a", 0, kSecond_ns);
        QCOMPARE(made.groups(), std::string(""));
    }
};

LOCKSTEP_TEST(SameProcessTest, "same_process_test")
#include "same_process_test.moc"
