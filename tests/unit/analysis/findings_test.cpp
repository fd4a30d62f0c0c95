// SPDX-License-Identifier: Apache-2.0
// Tests RunFindings: rules over all ranks become sentences, worst first; a loss is counted once; if nothing
// is found, the rules that ran are listed.
#include "core/analysis/training/findings.h"

#include <algorithm>

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
        Workspace alike;
        for (int rank = 0; rank < 4; ++rank) {
            ReportBuilder builder;
            builder.report().provenance.path = "rank" + std::to_string(rank) + ".sqlite";
            const ProcessId process = builder.process(1, 100 + rank);
            const TrackKey stream{TrackKind::gpuStream, process, {}, builder.device(process, 0), 7, 1};
            SliceBatch batch;
            for (int64_t i = 0; i < 4; ++i) {
                SliceRow row;
                row.kind = RowKind::kernel;
                row.name = builder.intern(i % 2 == 0 ? "gemm" : "attention");
                row.start_ns = i * 3'000'000;
                row.duration_ns = 2'000'000;
                row.source = SourceRow::of(0, static_cast<uint64_t>(i));
                batch.add(builder.track(stream), row);
            }
            builder.adopt(std::move(batch));
            alike.add(builder.freeze(Progress()).value());
        }
        const RunFindings found = of(test::madeScene(alike), {});
        const auto kernels = std::ranges::find(found.found, "slow_kernels", &RunFinding::rule);
        QVERIFY(kernels != found.found.end());
        QVERIFY2(kernels->sentence.starts_with("2 kernel names slower than 1.0 ms on average: "),
                 kernels->sentence.c_str());
        QCOMPARE(kernels->bars.size(), size_t(4));
    }

    void rulesAreListed()
    {
        const Scene none;
        const RunFindings found = *findingsOf(none, {}, Progress());
        QVERIFY(found.found.empty());
        QCOMPARE(found.ran.size(), size_t(7));
        QCOMPARE(found.ran.front(), std::string("bottlenecks"));
        QCOMPARE(found.ran.back(), std::string("gpu_gaps:rows=-1"));
        QCOMPARE(found.steps, int64_t(0));
        QCOMPARE(found.lost_ns, int64_t(0));
    }

    void canBeStopped()
    {
        std::stop_source stop;
        stop.request_stop();
        const auto found = findingsOf(*m_scene, {}, Progress(stop.get_token()));
        QVERIFY(!found && found.error().kind == ErrorKind::canceled);
    }

  private:
    static RunFindings of(const ScenePtr& scene, const Scope& scope)
    {
        return *findingsOf(*scene, scope, Progress());
    }
    RunFindings of(const Scope& scope) const { return of(m_scene, scope); }

    ScenePtr m_scene;
};

LOCKSTEP_TEST(FindingsTest, "findings_test")
#include "findings_test.moc"
