// SPDX-License-Identifier: Apache-2.0
// Compares projected NVTX ranges with brute force over random ranges, calls and GPU work: nested and crossing
// ranges, ranges that touch, calls without a duration, several threads and GPUs.
#include <algorithm>
#include <map>
#include <tuple>

#include <rapidcheck.h>

#include "core/lanes/range_projection.h"
#include "core/trace/report_builder.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;

namespace {

constexpr int64_t kProjectedSpan_ns = 60;

struct Range {
    int64_t start, duration;
    int thread;
};

// A call, and one or two operations that it launches.
struct Call {
    int64_t start, duration;
    int thread, gpu;
    int64_t workStart, workDuration;
    bool isTwice;
};

// By GPU and row of the range in the report: start, end and calls.
using Spans = std::map<std::pair<int, uint64_t>, std::tuple<int64_t, int64_t, uint32_t>>;

std::shared_ptr<const Report> reportOf(const std::vector<Range>& ranges, const std::vector<Call>& calls)
{
    ReportBuilder builder;
    const ProcessId process = builder.process(1, 1);
    SliceBatch batch;
    uint64_t rows = 0;
    const auto add = [&](TrackId track, RowKind kind, int64_t start, int64_t duration) {
        SliceRow row;
        row.start_ns = start;
        row.duration_ns = duration;
        row.kind = kind;
        row.category = kind == RowKind::kernel ? SliceCategory::compute : SliceCategory::nvtx;
        row.source = SourceRow::of(0, rows++);
        row.name = builder.intern("x");
        batch.add(track, row);
        return row.source;
    };
    const auto cpu = [&](TrackKind kind, int thread) {
        return builder.track({kind, process, builder.thread(process, thread), {}, 0, 0});
    };
    for (const Range& range : ranges)
        add(cpu(TrackKind::nvtx, range.thread), RowKind::nvtxPushPop, range.start, range.duration);
    for (const Call& call : calls) {
        const SourceRow cause =
            add(cpu(TrackKind::cudaApi, call.thread), RowKind::runtimeApi, call.start, call.duration);
        const DeviceId gpu = builder.device(process, call.gpu);
        const TrackId stream = builder.track({TrackKind::gpuStream, process, {}, gpu, 7, 1});
        for (int i = 0; i < (call.isTwice ? 2 : 1); ++i) {
            const SourceRow effect = add(stream, RowKind::kernel, call.workStart + 3 * i, call.workDuration);
            builder.addLink(cause, effect, LinkKind::launch);
        }
    }
    builder.adopt(std::move(batch));
    return builder.freeze(Progress()).value();
}

Spans bruteForce(const std::vector<Range>& ranges, const std::vector<Call>& calls)
{
    Spans out;
    for (size_t i = 0; i < ranges.size(); ++i) {
        for (const Call& call : calls) {
            const bool isInside = ranges[i].thread == call.thread && ranges[i].start <= call.start &&
                                  call.start + call.duration <= ranges[i].start + ranges[i].duration;
            if (!isInside) continue;
            const int64_t end = call.workStart + call.workDuration + (call.isTwice ? 3 : 0);
            const auto [entry, isNew] = out.try_emplace({call.gpu, i}, call.workStart, end, 1);
            if (isNew) continue;
            auto& [first, last, count] = entry->second;
            first = std::min(first, call.workStart);
            last = std::max(last, end);
            ++count;
        }
    }
    return out;
}

// Also checks the rows: sorted and disjoint, with the times that of() returns.
Spans projected(const Report& report)
{
    Spans out;
    for (const RangeProjection& projection : findRangeProjections(report, Progress(test::workers()))) {
        const int gpu = report.devices[projection.device().value].ordinal;
        for (uint16_t depth = 0; depth < projection.depthCount(); ++depth) {
            const LodRow row = projection.row(depth);
            for (uint32_t i = 0; i < row.count(); ++i) {
                if (i > 0) RC_ASSERT(row.end(i - 1) <= row.start(i));
                const ProjectedSpan span = projection.of(row.sliceAt(i)).value();
                RC_ASSERT(span.range == (TimeRange{{row.start(i)}, {row.end(i)}}) && span.depth == depth);
                out[{gpu, report.slices.source[row.sliceAt(i).value].row()}] = {row.start(i), row.end(i),
                                                                                span.launches};
            }
        }
    }
    return out;
}

std::vector<Range> someRanges()
{
    return *rc::gen::container<std::vector<Range>>(rc::gen::apply(
        [](int64_t start, int64_t duration, int thread) {
            return Range{start, duration, thread};
        },
        rc::gen::inRange<int64_t>(0, kProjectedSpan_ns), rc::gen::inRange<int64_t>(0, kProjectedSpan_ns),
        rc::gen::inRange(1, 3)));
}

// Splits [begin, end) at random places, and the parts again, so that ranges nest and touch.
void addTree(std::vector<Range>& out, int64_t begin, int64_t end, int depth)
{
    out.push_back({begin, end - begin, 1});
    if (depth == 0 || end - begin < 2) return;
    const int64_t cut = *rc::gen::inRange<int64_t>(begin, end);
    if (*rc::gen::arbitrary<bool>()) addTree(out, begin, cut, depth - 1);
    if (*rc::gen::arbitrary<bool>()) addTree(out, cut, end, depth - 1);
}

std::vector<Call> someCalls(int64_t shortest_ns)
{
    return *rc::gen::container<std::vector<Call>>(rc::gen::apply(
        [](int64_t start, int64_t duration, int thread, int gpu, int64_t workStart, int64_t workDuration,
           bool isTwice) { return Call{start, duration, thread, gpu, workStart, workDuration, isTwice}; },
        rc::gen::inRange<int64_t>(0, kProjectedSpan_ns), rc::gen::inRange<int64_t>(shortest_ns, 5),
        rc::gen::inRange(1, 3), rc::gen::inRange(0, 2), rc::gen::inRange<int64_t>(0, kProjectedSpan_ns),
        rc::gen::inRange<int64_t>(0, 20), rc::gen::arbitrary<bool>()));
}

} // namespace

class RangeProjectionPropertyTest : public QObject {
    Q_OBJECT

  private slots:
    void anyRanges()
    {
        QVERIFY(rc::check("projections of any ranges are those of brute force", [] {
            const auto ranges = someRanges();
            const auto calls = someCalls(0);
            RC_ASSERT(projected(*reportOf(ranges, calls)) == bruteForce(ranges, calls));
        }));
    }

    void nestedRanges()
    {
        QVERIFY(rc::check("projections of nested ranges are those of brute force", [] {
            std::vector<Range> ranges;
            addTree(ranges, 0, kProjectedSpan_ns, 6);
            const auto calls = someCalls(1);
            RC_ASSERT(projected(*reportOf(ranges, calls)) == bruteForce(ranges, calls));
        }));
    }
};

LOCKSTEP_TEST(RangeProjectionPropertyTest, "range_projection_property_test")
#include "range_projection_property_test.moc"
