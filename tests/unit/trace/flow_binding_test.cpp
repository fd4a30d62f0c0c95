// SPDX-License-Identifier: Apache-2.0
// Tests that flows become links as Perfetto draws them; flows that cannot be drawn and overcrowded joins are
// counted.
#include "core/trace/report_builder.h"
#include "tests/support/damage_account.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using namespace lockstep::test;

namespace {

SliceRow flowRow(int64_t start_ns, int64_t duration_ns, uint64_t source, RowKind kind = RowKind::span)
{
    SliceRow out;
    out.start_ns = start_ns;
    out.duration_ns = duration_ns;
    out.source = SourceRow::of(0, source);
    out.kind = kind;
    return out;
}

using Pairs = std::vector<std::pair<uint64_t, uint64_t>>;

// Two threads: slices 1 [0, 10) and 2 [20, 30) on the first, 3 [5, 15) and 4 [40, 50) on the second.
struct TwoThreads {
    ReportBuilder builder;
    TrackId a, b;
    SliceBatch batch;
    std::shared_ptr<const Report> report;

    TwoThreads()
    {
        const ProcessId process = builder.process(1, 1);
        a = builder.track({TrackKind::ops, process, builder.thread(process, 1), {}, 0, 0});
        b = builder.track({TrackKind::ops, process, builder.thread(process, 2), {}, 0, 0});
        batch.add(a, flowRow(0, 10, 1));
        batch.add(a, flowRow(20, 10, 2));
        batch.add(b, flowRow(5, 10, 3));
        batch.add(b, flowRow(40, 10, 4));
    }
    // Returns cause and effect of every link by their sources.
    Pairs links()
    {
        builder.adopt(std::move(batch));
        report = builder.freeze(Progress()).value();
        Pairs out;
        for (const Link& link : report->links.all())
            out.emplace_back(report->slices.source[link.cause.value].row(),
                             report->slices.source[link.effect.value].row());
        std::ranges::sort(out);
        return out;
    }
};

} // namespace

class FlowBindingTest : public QObject {
    Q_OBJECT

  private slots:
    void endsAreEffectsOfTheLastStartOrStep()
    {
        TwoThreads made;
        made.batch.addFlow({1, 2, made.a, FlowRole::start}); // one start, two ends
        made.batch.addFlow({1, 6, made.b, FlowRole::end});
        made.batch.addFlow({1, 45, made.b, FlowRole::end});
        made.batch.addFlow({2, 1, made.a, FlowRole::start}); // over a step
        made.batch.addFlow({2, 22, made.a, FlowRole::step});
        made.batch.addFlow({2, 41, made.b, FlowRole::end});
        QCOMPARE(made.links(), (Pairs{{1, 2}, {1, 3}, {1, 4}, {2, 4}}));
        QVERIFY(made.report->notes.all().empty());
    }

    void undrawnFlowsAreCounted()
    {
        TwoThreads made;
        made.batch.addFlow({1, 6, made.b, FlowRole::end}); // before its start
        made.batch.addFlow({1, 22, made.a, FlowRole::start});
        made.batch.addFlow({2, 41, made.b, FlowRole::end});  // never starts
        made.batch.addFlow({3, 1, made.a, FlowRole::start}); // twice, one end
        made.batch.addFlow({3, 2, made.a, FlowRole::start});
        made.batch.addFlow({3, 41, made.b, FlowRole::end});
        made.batch.addFlow({4, 15, made.a, FlowRole::start}); // between the slices
        made.batch.addFlow({4, 41, {}, FlowRole::end});       // on a thread without slices
        QCOMPARE(made.links(), (Pairs{{1, 4}}));
        QCOMPARE(noteCount(*made.report, "flow.end_without_start"), uint64_t(2));
        QCOMPARE(noteCount(*made.report, "flow.start_without_end"), uint64_t(2));
        QCOMPARE(noteCount(*made.report, "flow.no_slice"), uint64_t(2));
    }

    void anEndMayBindTheNextSlice()
    {
        TwoThreads made;
        made.batch.addFlow({1, 2, made.a, FlowRole::start});
        made.batch.addFlow({1, 7, made.b, FlowRole::end, true});
        made.batch.addFlow({2, 2, made.a, FlowRole::start});
        made.batch.addFlow({2, 51, made.b, FlowRole::end, true}); // nothing begins after it
        QCOMPARE(made.links(), (Pairs{{1, 4}}));
        QCOMPARE(noteCount(*made.report, "flow.no_slice"), uint64_t(1));
    }

    // One kernel whose correlation id 100 API calls share.
    void crowdedCorrelationsAreCounted()
    {
        ReportBuilder builder;
        const ProcessId process = builder.process(1, 1);
        const TrackId calls =
            builder.track({TrackKind::cudaApi, process, builder.thread(process, 1), {}, 0, 0});
        const TrackId stream =
            builder.track({TrackKind::gpuStream, process, {}, builder.device(process, 0), 7, 0});
        SliceBatch batch;
        for (uint64_t i = 0; i < 100; ++i) {
            SliceRow call = flowRow(int64_t(i) * 10, 5, i, RowKind::runtimeApi);
            call.correlation = 9;
            batch.add(calls, call);
        }
        for (uint64_t i = 0; i < 3; ++i) {
            SliceRow kernel = flowRow(2000 + int64_t(i) * 10, 5, 1000 + i, RowKind::kernel);
            kernel.correlation = 9;
            batch.add(stream, kernel);
        }
        builder.adopt(std::move(batch));
        const auto report = builder.freeze(Progress()).value();
        QCOMPARE(report->links.size(), size_t(3 * 64));
        QCOMPARE(noteCount(*report, "correlation.crowded"), uint64_t(3));
    }

    // Seven slices more than there are rows, all concurrent and none inside another.
    void overfullRowsAreCounted()
    {
        constexpr int64_t kRows = 65'535, kMore = 7;
        ReportBuilder builder;
        const TrackId track = builder.track({});
        SliceBatch batch;
        for (int64_t i = 0; i < kRows + kMore; ++i)
            batch.add(track, flowRow(i, 1'000'000, uint64_t(i)));
        builder.adopt(std::move(batch));
        const auto report = builder.freeze(Progress()).value();
        QCOMPARE(noteCount(*report, "rows.overfull"), uint64_t(kMore));
    }
};

LOCKSTEP_TEST(FlowBindingTest, "flow_binding_test")
#include "flow_binding_test.moc"
