// SPDX-License-Identifier: Apache-2.0
// Tests freezing: order, depth, parents, links within one process, flows, sides.
#include "core/trace/report_builder.h"

#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

SliceRow row(int64_t start, int64_t duration, uint64_t source, RowKind kind = RowKind::span,
             uint32_t correlation = kNoCorrelation)
{
    SliceRow out;
    out.start_ns = start;
    out.duration_ns = duration;
    out.source = SourceRow::of(0, source);
    out.kind = kind;
    out.correlation = correlation;
    return out;
}

std::shared_ptr<const Report> frozen(ReportBuilder& builder)
{
    return builder.freeze(Progress()).value();
}

} // namespace

class ReportBuilderTest : public QObject {
    Q_OBJECT

  private slots:
    void nestsAndSpills()
    {
        ReportBuilder builder;
        const ProcessId process = builder.process(1, 1);
        const TrackId track = builder.track({TrackKind::ops, process, builder.thread(process, 1), {}, 0, 0});
        SliceBatch batch;
        batch.add(track, row(30, 20, 3)); // crosses the end of the second, inside the first
        batch.add(track, row(0, 100, 1));
        batch.add(track, row(10, 30, 2));
        batch.add(track, row(60, 5, 4));
        batch.add(track, row(95, 20, 5)); // crosses the end of the first
        builder.adopt(std::move(batch));
        const auto report = frozen(builder);
        QCOMPARE(report->slices.start_ns, (Column<int64_t>{0, 10, 30, 60, 95}));
        QCOMPARE(report->slices.depth, (Column<uint16_t>{0, 1, 2, 1, 1}));
        QCOMPARE(report->slices.parent[2], SliceId(0u));
        QCOMPARE(report->slices.parent[3], SliceId(0u));
        QVERIFY(!report->slices.parent[4].isValid());
        QCOMPARE(int(report->tracks[0].depthCount), 3);
        QCOMPARE(report->extent, (TimeRange{{0}, {115}}));
    }

    // 10^12 % is not a valid utilization; a few hundred may be valid, as the sum of several units.
    void impossibleUtilizationsAreDropped()
    {
        ReportBuilder builder;
        CounterTrack share;
        share.name = builder.intern("SMs Active [Throughput %]");
        CounterTrack bytes;
        bytes.name = builder.intern("Memory");
        builder.addSamples(builder.addCounterTrack(share), {{1, 50.0}, {2, 1e12}, {3, 400.0}, {4, -1e12}});
        builder.addSamples(builder.addCounterTrack(bytes), {{1, 1e12}});
        const auto report = frozen(builder);
        QCOMPARE(report->counters.size(), size_t(3));
        QCOMPARE(report->notes.all().size(), size_t(1));
        QCOMPARE(report->notes.all()[0].kind, std::string("counter.impossible_share"));
        QCOMPARE(report->notes.all()[0].count, uint64_t(2));
    }

    void detailsBeyondTheLimitAreReported()
    {
        ReportBuilder builder;
        builder.factSets().setLimit(2);
        FactNumbers numbers(builder.factSets());
        const TrackId track = builder.track({});
        SliceBatch batch;
        int64_t start = 0;
        for (const int64_t context : {1, 2, 3, 2}) {
            start += 10;
            SliceRow slice = row(start, 5, static_cast<uint64_t>(start), RowKind::kernel);
            FactList facts;
            facts.set(RowFact::context, context);
            slice.setFactSet(numbers.number(facts));
            batch.add(track, slice);
        }
        builder.adopt(std::move(batch));
        const auto report = frozen(builder);
        const auto contextOf = [&](uint32_t slice) {
            return report->factsOf(SliceId(slice)).number(RowFact::context);
        };
        QVERIFY(contextOf(0) == 1 && contextOf(1) == 2 && contextOf(3) == 2);
        QVERIFY(!contextOf(2));
        QCOMPARE(report->notes.all().size(), size_t(1));
        QCOMPARE(report->notes.all()[0].kind, std::string("details.crowded"));
        QCOMPARE(report->notes.all()[0].count, uint64_t(1));
    }

    // Three damaged timestamps 27 hours early do not stretch the axis and are in no table, but can be
    // inspected; a second part of the recording remains.
    void strayTimestampsAreSeparated()
    {
        constexpr int64_t kSecond_ns = 1'000'000'000, kHour_ns = 3600 * kSecond_ns;
        const auto made = [&](int64_t strays, int64_t second, int64_t distance_ns) {
            ReportBuilder builder;
            const TrackId track = builder.track({});
            SliceBatch batch;
            for (int64_t i = 0; i < 1000; ++i)
                batch.add(track, row(100 * kHour_ns + i * 1'000'000, 500, uint64_t(i) + 1));
            for (int64_t i = 0; i < strays; ++i)
                batch.add(track, row(73 * kHour_ns + i, 500, uint64_t(i) + 2000));
            for (int64_t i = 0; i < second; ++i)
                batch.add(track, row(100 * kHour_ns + distance_ns + i, 500, uint64_t(i) + 3000));
            builder.adopt(std::move(batch));
            return frozen(builder);
        };
        const auto damaged = made(3, 0, 0);
        QCOMPARE(std::ranges::count(damaged->slices.kind, RowKind::span), std::ptrdiff_t(1000));
        QCOMPARE(std::ranges::count(damaged->slices.kind, RowKind::diagnostic), std::ptrdiff_t(3));
        QCOMPARE(damaged->tracks.size(), size_t(2));
        QCOMPARE(damaged->tracks[0].key.kind, TrackKind::diagnostics);
        QCOMPARE(damaged->tracks[0].sliceCount, 3u);
        QCOMPARE(damaged->extent.begin.ns, 100 * kHour_ns);
        QCOMPARE(damaged->notes.all().front().kind, std::string("rows.far_away"));
        QCOMPARE(damaged->notes.all().front().count, uint64_t(3));
        QCOMPARE(made(0, 40, 10 * kHour_ns)->slices.size(), size_t(1040)); // too many to be damage
        QCOMPARE(made(0, 5, kHour_ns / 2)->slices.size(), size_t(1005));   // close
    }

    // A kernel that ends 3 s after its successor began has no true duration; microseconds are normal.
    void impossibleKernelsAreTruncated()
    {
        ReportBuilder builder;
        const ProcessId process = builder.process(1, 1);
        const TrackId stream =
            builder.track({TrackKind::gpuStream, process, {}, builder.device(process, 0), 7, 0});
        SliceBatch batch;
        for (int64_t i = 0; i < 1000; ++i) {
            const int64_t length_ns = i == 500 ? 3'000'000'000 : i % 2 == 0 ? 52'000 : 40'000;
            batch.add(stream, row(i * 50'000, length_ns, uint64_t(i) + 1, RowKind::kernel));
        }
        builder.adopt(std::move(batch));
        const auto report = frozen(builder);
        QCOMPARE(report->slices.size(), size_t(1000));
        QCOMPARE(report->slices.duration_ns[500], int64_t(50'000));
        QCOMPARE(report->slices.duration_ns[498], int64_t(52'000));
        QCOMPARE(report->extent.end.ns, int64_t(999 * 50'000 + 40'000));
        QCOMPARE(report->notes.all().front().kind, std::string("kernel.impossible_duration"));
        QCOMPARE(report->notes.all().front().count, uint64_t(1));
    }

    // So many unsorted rows that blocks of them are sorted separately and then merged; if canceled midway,
    // there is no result.
    void manyUnsortedRows()
    {
        constexpr uint64_t kCount = 300'000;
        const auto fill = [](ReportBuilder& builder) {
            const TrackId track = builder.track({});
            SliceBatch batch;
            for (uint64_t i = 0; i < kCount; ++i)
                batch.add(track, row(static_cast<int64_t>(i * 7'919'771 % kCount) * 10, 5, i + 1));
            builder.adopt(std::move(batch));
        };
        ReportBuilder whole;
        fill(whole);
        const auto report = frozen(whole);
        QCOMPARE(report->slices.size(), size_t(kCount));
        for (size_t i = 0; i < kCount; ++i)
            QCOMPARE(report->slices.start_ns[i], static_cast<int64_t>(i) * 10);
        QCOMPARE(int(report->tracks[0].depthCount), 1);
        ReportBuilder stopped;
        fill(stopped);
        std::stop_source stop;
        stop.request_stop();
        const auto none = stopped.freeze(Progress(stop.get_token()));
        QVERIFY(!none && none.error().kind == ErrorKind::canceled);
    }

    void manyOverlapsStaySeparate()
    {
        ReportBuilder builder;
        const TrackId track = builder.track({});
        SliceBatch batch;
        constexpr int kCount = 3000;
        for (int i = 0; i < kCount; ++i)
            batch.add(track, row(i, kCount, uint64_t(i)));
        batch.add(track, row(10 * kCount, 1, kCount));
        builder.adopt(std::move(batch));
        const auto report = frozen(builder);
        for (int i = 0; i < kCount; ++i)
            QCOMPARE(int(report->slices.depth[size_t(i)]), i);
        QCOMPARE(int(report->slices.depth[kCount]), 0);
    }

    void correlationIsPerProcess()
    {
        ReportBuilder builder;
        std::vector<TrackId> api, gpu;
        for (uint64_t pid : {7u, 8u}) {
            const ProcessId process = builder.process(pid, int64_t(pid));
            api.push_back(builder.track({TrackKind::cudaApi, process, builder.thread(process, 1), {}, 0, 0}));
            gpu.push_back(
                builder.track({TrackKind::gpuStream, process, {}, builder.device(process, 0), 7, 1}));
        }
        SliceBatch batch;
        batch.add(api[0], row(0, 5, 1, RowKind::runtimeApi, 100));
        batch.add(gpu[0], row(10, 5, 2, RowKind::kernel, 100));
        batch.add(gpu[1], row(11, 5, 3, RowKind::kernel, 100)); // same number, other process, no call
        batch.add(gpu[0], row(20, 5, 4, RowKind::kernel));
        builder.adopt(std::move(batch));
        const auto report = frozen(builder);
        QCOMPARE(report->links.size(), size_t(1));
        const Link link = report->links.all()[0];
        QCOMPARE(report->slices.source[link.cause.value].row(), uint64_t(1));
        QCOMPARE(report->slices.source[link.effect.value].row(), uint64_t(2));
        QCOMPARE(report->links.from(link.cause).size(), size_t(1));
        QVERIFY(report->links.to(link.effect) != nullptr);
        QVERIFY(report->links.to(link.cause) == nullptr);
    }

    void flowsBindToEnclosingSlices()
    {
        ReportBuilder builder;
        const ProcessId process = builder.process(1, 1);
        const TrackId a = builder.track({TrackKind::ops, process, builder.thread(process, 1), {}, 0, 0});
        const TrackId b = builder.track({TrackKind::ops, process, builder.thread(process, 2), {}, 0, 0});
        SliceBatch batch;
        batch.add(a, row(0, 100, 1));
        batch.add(a, row(10, 10, 2));
        batch.add(b, row(50, 10, 3));
        batch.addFlow({5, 50, b, FlowRole::end}); // the end precedes the start in the file
        batch.addFlow({5, 12, a, FlowRole::start});
        batch.addFlow({6, 12, a, FlowRole::start}); // never ends
        builder.adopt(std::move(batch));
        const auto report = frozen(builder);
        QCOMPARE(report->links.size(), size_t(1));
        QCOMPARE(report->slices.source[report->links.all()[0].cause.value].row(), uint64_t(2));
        QCOMPARE(report->slices.source[report->links.all()[0].effect.value].row(), uint64_t(3));
    }

    void sidesFollowTheirSlices()
    {
        ReportBuilder builder;
        const TrackId track = builder.track({});
        const std::vector<StringId> names{builder.intern(""), builder.intern("copy")};
        SliceBatch batch;
        SliceRow copy = row(10, 1, 9, RowKind::memcpy);
        copy.name = StringId(1u);
        batch.add(track, copy);
        batch.add(track, row(0, 1, 4));
        batch.addMemoryOp(copy.source,
                          {{}, CopyKind::hostToDevice, MemoryKind::pinned, MemoryKind::device, 4096});
        batch.addColor(SourceRow::of(0, 4), 0x00FF00);
        builder.adopt(std::move(batch), names);
        const auto report = frozen(builder);
        QCOMPARE(report->nameOf(SliceId(1u)), std::string_view("copy"));
        QCOMPARE(report->memoryOpOf(SliceId(1u))->size_bytes, uint64_t(4096));
        QVERIFY(report->memoryOpOf(SliceId(0u)) == nullptr);
        QCOMPARE(report->colors[0].first, SliceId(0u));
        QCOMPARE(report->trackOf(SliceId(1u)), TrackId(0u));
    }

    void collectivesFollowTheirSlicesAndNames()
    {
        ReportBuilder builder;
        const TrackId track = builder.track({});
        const std::vector<StringId> names{builder.intern(""), builder.intern("other"),
                                          builder.intern("allreduce")};
        SliceBatch batch;
        batch.add(track, row(50, 1, 9, RowKind::kernel));
        batch.add(track, row(10, 1, 4, RowKind::kernel));
        CollectiveOp op;
        op.collective = StringId(2u);
        op.sequence = 17;
        batch.addCollective(SourceRow::of(0, 9), op);
        op.sequence = 16;
        batch.addCollective(SourceRow::of(0, 4), op);
        batch.addCollective(SourceRow::of(0, 77), op); // no such row
        builder.adopt(std::move(batch), names);
        const auto report = frozen(builder);
        QCOMPARE(report->collectives.size(), size_t(2));
        QCOMPARE(report->collectives[0].slice, SliceId(0u));
        QCOMPARE(report->collectives[0].sequence, uint64_t(16));
        QCOMPARE(report->strings.at(report->collectives[1].collective), std::string_view("allreduce"));
        QVERIFY(!report->collectives[1].group.isValid());
        QCOMPARE(report->collectives[1].peer, CollectiveOp::kAbsent);
    }
};

LOCKSTEP_TEST(ReportBuilderTest, "report_builder_test")
#include "report_builder_test.moc"
