// SPDX-License-Identifier: Apache-2.0
// Tests RunFindings: rules over all ranks become sentences, worst first; a loss is counted once; a rule that
// could not run is reported; if nothing is found, the rules that ran are listed.
#include "core/analysis/training/findings.h"

#include <algorithm>
#include <set>

#include "core/analysis/analysis.h"
#include "tests/support/made_reports.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

class FindingsTest : public QObject {
    Q_OBJECT

  private slots:
    void init() { m_scene = test::madeScene(test::madeWorkspace(2, 2)); }

    void worstFindingIsFirst()
    {
        const RunFindings all = of({});
        QVERIFY(!all.found.empty());
        QVERIFY(all.notRun.empty());
        QCOMPARE(all.steps, int64_t(2));
        QCOMPARE(all.reports, size_t(4));
        for (size_t i = 1; i < all.found.size(); ++i)
            QVERIFY(all.found[i - 1].cost_ns >= all.found[i].cost_ns);
        for (const RunFinding& found : all.found) {
            QVERIFY(!found.sentence.empty() && !found.fix.empty() && !found.bars.empty());
            QVERIFY(std::ranges::any_of(found.bars, &FindingBar::isFlagged));
            QVERIFY(found.reasons.size() >= 3);
            QVERIFY2(m_scene->holds(found.show), found.rule.c_str());
        }
    }

    // The loss is at most the whole time, and at least the largest of the losses that have times.
    void overlapsAreCountedOnce()
    {
        const RunFindings all = of({});
        int64_t sum_ns = 0, largest_ns = 0;
        size_t without = 0;
        for (const RunFinding& found : all.found) {
            sum_ns += found.lost.length().ns;
            largest_ns = std::max(largest_ns, found.lost.length().ns);
            without += found.lost.isEmpty();
        }
        QVERIFY(largest_ns > 0);
        QVERIFY(all.lost_ns >= largest_ns && all.lost_ns <= sum_ns);
        QVERIFY(all.lost_ns <= m_scene->extent().length().ns);
        QCOMPARE(all.untimedFindings, without);
    }

    // The same loss reported by four ranks at one time is one loss.
    void fourRanksAtOnceLoseTheirTimeOnce()
    {
        Workspace alike;
        for (int rank = 0; rank < 4; ++rank)
            alike.add(test::madeRank({.rank = rank}));
        Workspace alone;
        alone.add(test::madeRank({.rank = 0}));
        const ScenePtr four = test::madeScene(alike), one = test::madeScene(alone);
        const RunFindings ofFour = of(four, {}), ofOne = of(one, {});
        QVERIFY(ofOne.lost_ns > 0);
        // Ranks differ in lateness, so that the union is somewhat longer, but much less than four times.
        QVERIFY(ofFour.lost_ns < 2 * ofOne.lost_ns);
    }

    void findingsStayInTheTimeRange()
    {
        Scope part;
        const TimeRange all = m_scene->extent();
        part.time = TimeRange{all.begin, all.begin + Duration{all.length().ns / 3}};
        const RunFindings found = of(part);
        QVERIFY(found.lost_ns <= part.time->length().ns);
    }

    // A kernel that is slow on every rank is one finding with one name.
    void slowKernelsAreCountedByName()
    {
        std::shared_ptr<const Table> slow;
        const TableProvider make = [&](const std::string& what) -> Result<std::shared_ptr<const Table>> {
            if (what != "bottlenecks") return std::make_shared<const Table>(what, "");
            slow = std::make_shared<const Table>(
                LOCKSTEP_TRY(runAnalysis("bottlenecks:slow=1us", *m_scene, {}, Progress())));
            return slow;
        };
        const RunFindings found = *findingsOf(*m_scene, {}, make, Progress());
        const auto kernels = std::ranges::find(found.found, "slow_kernels", &RunFinding::rule);
        QVERIFY(kernels != found.found.end());
        std::set<std::string> names;
        size_t rows = 0;
        for (size_t row = 0; row < slow->rowCount(); ++row) {
            if (slow->text(slow->columnNamed("rule"), row) != "slow_kernels") continue;
            const std::string evidence = slow->cell(slow->columnNamed("evidence"), row);
            names.insert(evidence.substr(evidence.find(" of ") + 4));
            ++rows;
        }
        QVERIFY(rows > names.size());
        QVERIFY2(kernels->sentence.starts_with(std::to_string(names.size()) + " kernel name"),
                 kernels->sentence.c_str());
    }

    void skippedRulesAreReported()
    {
        const TableProvider make = [&](const std::string& what) -> Result<std::shared_ptr<const Table>> {
            if (what == "stragglers") return makeError(ErrorKind::invalid, "no collectives match");
            return std::make_shared<const Table>(what, "");
        };
        const RunFindings found = *findingsOf(*m_scene, {}, make, Progress());
        QCOMPARE(found.notRun.size(), size_t(1));
        QCOMPARE(found.notRun[0].first, std::string("stragglers"));
        QCOMPARE(found.notRun[0].second, std::string("no collectives match"));
        QVERIFY(found.found.empty());
        QCOMPARE(found.ran.size(), size_t(6));
        QCOMPARE(found.lost_ns, int64_t(0));
    }

    void canBeStopped()
    {
        std::stop_source stop;
        stop.request_stop();
        const auto found = findingsOf(*m_scene, {}, maker(*m_scene, {}), Progress(stop.get_token()));
        QVERIFY(!found && found.error().kind == ErrorKind::canceled);
    }

    void emptyScenesHaveNone()
    {
        const Scene none;
        const RunFindings found = *findingsOf(none, {}, maker(none, {}), Progress());
        QVERIFY(found.found.empty());
        QCOMPARE(found.steps, int64_t(0));
    }

  private:
    static TableProvider maker(const Scene& scene, const Scope& scope)
    {
        return [&scene, scope](const std::string& what) -> Result<std::shared_ptr<const Table>> {
            Table table = LOCKSTEP_TRY(runAnalysis(what, scene, scope, Progress()));
            return std::make_shared<const Table>(std::move(table));
        };
    }
    static RunFindings of(const ScenePtr& scene, const Scope& scope)
    {
        return *findingsOf(*scene, scope, maker(*scene, scope), Progress());
    }
    RunFindings of(const Scope& scope) const { return of(m_scene, scope); }

    ScenePtr m_scene;
};

LOCKSTEP_TEST(FindingsTest, "findings_test")
#include "findings_test.moc"
