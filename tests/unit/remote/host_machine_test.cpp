// SPDX-License-Identifier: Apache-2.0
// Tests the state machine of a host's run in every state with every input, and its diagram in README.md.
#include <fstream>
#include <map>
#include <random>
#include <set>

#include "core/remote/host_machine.h"
#include "tests/support/places.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

constexpr int kStates = 10;

HostConditions conditionsOf(unsigned bits)
{
    const auto bit = [bits](unsigned at) { return ((bits >> at) & 1U) != 0; };
    return {bit(0), bit(1), bit(2), bit(3), bit(4), bit(5), bit(6), bit(7)};
}
constexpr unsigned kConditions = 256;

// Returns the command that causes each of these inputs.
const std::map<HostInput, HostCommand> kCausedBy{{HostInput::installed, HostCommand::install},
                                                 {HostInput::libraryInstalled, HostCommand::installLibrary},
                                                 {HostInput::started, HostCommand::start},
                                                 {HostInput::retryDue, HostCommand::retry},
                                                 {HostInput::recordsRead, HostCommand::readOverLogin}};

} // namespace

class HostMachineTest : public QObject {
    Q_OBJECT

  private slots:
    void finalStatesAreNeverLeft()
    {
        for (const HostTransition& row : hostTransitions())
            QVERIFY(!isFinal(row.from));
    }

    void everyStateCanEnd()
    {
        for (int state = 0; state < kStates; ++state) {
            std::set<HostState> reached{static_cast<HostState>(state)};
            for (size_t before = 0; before != reached.size();) {
                before = reached.size();
                for (const HostState from : std::set(reached)) {
                    for (size_t input = 0; input < kHostInputs; ++input) {
                        for (unsigned bits = 0; bits < kConditions; ++bits) {
                            if (const auto step =
                                    hostStep(from, static_cast<HostInput>(input), conditionsOf(bits)))
                                reached.insert(step->state);
                        }
                    }
                }
            }
            QVERIFY2(std::ranges::any_of(reached, isFinal), qPrintable(QString::number(state)));
        }
    }

    // No transition is hidden by earlier ones, and every state can be reached.
    void everyRowApplies()
    {
        std::set<const HostTransition*> applied;
        std::set<HostState> reached{HostState::waiting};
        const auto rows = hostTransitions();
        for (const HostTransition& row : rows) {
            for (unsigned bits = 0; bits < kConditions; ++bits) {
                const HostConditions now = conditionsOf(bits);
                const auto first = std::ranges::find_if(rows, [&](const HostTransition& one) {
                    return one.from == row.from && one.input == row.input &&
                           (one.guard.holds == nullptr || one.guard.holds(now));
                });
                if (first == rows.end()) continue;
                applied.insert(&*first);
                reached.insert(first->to.value_or(followedState(now)));
            }
        }
        QCOMPARE(applied.size(), rows.size());
        QCOMPARE(reached.size(), size_t(kStates));
    }

    void closesExactlyAtTheEnd()
    {
        for (const HostTransition& row : hostTransitions()) {
            const bool isEnd = row.to && isFinal(*row.to);
            QCOMPARE(row.command == HostCommand::close, isEnd);
        }
    }

    // For any order of inputs that follow their commands, a plan is started only once, and a stop is sent
    // only to followed hosts.
    void anyOrderOfInputs()
    {
        std::mt19937 random(7);
        for (int run = 0; run < 2'000; ++run) {
            HostState state = HostState::waiting;
            HostConditions now;
            now.isNode = run % 3 == 0;
            now.isStarted = now.isNode;
            int starts = 0;
            HostCommand asked = HostCommand::none;
            for (int i = 0; i < 60; ++i) {
                const auto input = static_cast<HostInput>(random() % kHostInputs);
                now.isStopRequested = now.isStopRequested || input == HostInput::stop;
                now.isJobPending = random() % 2 == 0;
                now.mayRetry = random() % 8 != 0;
                now.isJobOver = random() % 4 == 0;
                now.isSuccess = random() % 2 == 0;
                if (kCausedBy.contains(input) && kCausedBy.at(input) != asked) continue;
                const auto step = hostStep(state, input, now);
                if (!step) continue;
                QVERIFY(!isFinal(state));
                if (step->command != HostCommand::none) asked = step->command;
                starts += step->command == HostCommand::start ? 1 : 0;
                if (input == HostInput::started) now.isStarted = true;
                if (step->command == HostCommand::sendStop) QVERIFY(isFollowed(state) && !now.isNode);
                if (step->command == HostCommand::start) QVERIFY(!now.isStarted);
                if (now.isNode) QVERIFY(step->state != HostState::stopping);
                state = step->state;
            }
            QVERIFY(!now.isNode || starts == 0);
        }
    }

    void readmeShowsTheTable()
    {
        const std::filesystem::path path = test::sourceFolder() / "core/remote/README.md";
        std::string text = test::contentOf(path);
        const std::string begin = "```mermaid\n", end = "```\n";
        const size_t from = text.find(begin) + begin.size(), to = text.find(end, from);
        QVERIFY(from != std::string::npos && to != std::string::npos);
        if (!qEnvironmentVariableIsEmpty("LOCKSTEP_UPDATE_GOLDEN")) {
            text.replace(from, to - from, hostDiagram());
            std::ofstream(path) << text;
        }
        QCOMPARE(QString::fromStdString(text.substr(from, to - from)), QString::fromStdString(hostDiagram()));
    }
};

LOCKSTEP_TEST(HostMachineTest, "host_machine_test")
#include "host_machine_test.moc"
