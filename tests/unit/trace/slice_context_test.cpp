// SPDX-License-Identifier: Apache-2.0
// Tests the surroundings of a slice: its launch, the ranges around it and the rate of a copy.
#include "core/trace/slice_context.h"

#include "core/trace/report_builder.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

SliceRow contextRow(int64_t start_ns, int64_t duration_ns, uint64_t source, RowKind kind,
                    uint32_t correlation = kNoCorrelation)
{
    SliceRow out;
    out.start_ns = start_ns;
    out.duration_ns = duration_ns;
    out.source = SourceRow::of(0, source);
    out.kind = kind;
    out.correlation = correlation;
    return out;
}

// Thread 1 has NVTX ranges, an operator and the API calls; the GPU has a copy and a kernel. Each slice is
// identified by the row number of its source.
struct SurroundedSlices {
    std::shared_ptr<const Report> report;

    SurroundedSlices()
    {
        ReportBuilder builder;
        const ProcessId process = builder.process(1, 1);
        const ThreadId thread = builder.thread(process, 1), other = builder.thread(process, 2);
        const TrackId nvtx = builder.track({TrackKind::nvtx, process, thread, {}, 0, 0});
        const TrackId ops = builder.track({TrackKind::ops, process, thread, {}, 0, 0});
        const TrackId api = builder.track({TrackKind::cudaApi, process, thread, {}, 0, 0});
        const TrackId elsewhere = builder.track({TrackKind::nvtx, process, other, {}, 0, 0});
        const TrackId gpu =
            builder.track({TrackKind::gpuStream, process, {}, builder.device(process, 0), 7, 0});
        SliceBatch batch;
        batch.add(nvtx, contextRow(0, 1000, 1, RowKind::nvtxPushPop));      // step
        batch.add(nvtx, contextRow(100, 200, 2, RowKind::nvtxPushPop));     // layer
        batch.add(nvtx, contextRow(400, 100, 3, RowKind::nvtxPushPop));     // next layer
        batch.add(elsewhere, contextRow(0, 1000, 4, RowKind::nvtxPushPop)); // of another thread
        batch.add(ops, contextRow(120, 100, 5, RowKind::op));
        batch.add(ops, contextRow(120, 50, 6, RowKind::op)); // starts with the operator around it
        batch.add(api, contextRow(150, 10, 7, RowKind::runtimeApi, 71));
        batch.add(api, contextRow(410, 60, 8, RowKind::runtimeApi, 72));
        batch.add(gpu, contextRow(450, 30, 9, RowKind::kernel, 71));
        batch.add(gpu, contextRow(460, 20, 10, RowKind::memcpy, 72)); // starts before its call ends
        batch.add(gpu, contextRow(500, 20, 11, RowKind::kernel));     // its launch was not recorded
        batch.addMemoryOp(SourceRow::of(0, 10),
                          {{}, CopyKind::hostToDevice, MemoryKind::pinned, MemoryKind::device, 5000});
        builder.adopt(std::move(batch));
        report = builder.freeze(Progress()).value();
    }

    SliceId of(uint64_t source) const
    {
        for (size_t i = 0; i < report->slices.size(); ++i) {
            if (report->slices.source[i].row() == source) return SliceId(i);
        }
        return {};
    }
};

} // namespace

class SliceContextTest : public QObject {
    Q_OBJECT

  private slots:
    void workHasTheRangesOfItsLaunch()
    {
        const SliceContext context = contextOf(*m_made.report, m_made.of(9));
        QCOMPARE(context.launch, m_made.of(7));
        QCOMPARE(*context.sinceLaunch_ns, 300);
        QCOMPARE(*context.sinceLaunchEnd_ns, 290);
        QCOMPARE(sources(context), (std::vector<uint64_t>{6, 5, 2, 1}));
    }

    void delayIsNegativeBeforeTheCallEnds()
    {
        const SliceContext context = contextOf(*m_made.report, m_made.of(10));
        QCOMPARE(*context.sinceLaunch_ns, 50);
        QCOMPARE(*context.sinceLaunchEnd_ns, -10);
        QCOMPARE(sources(context), (std::vector<uint64_t>{3, 1}));
    }

    void missingLaunchLeavesBothUnknown()
    {
        const SliceContext context = contextOf(*m_made.report, m_made.of(11));
        QVERIFY(!context.launch.isValid() && !context.sinceLaunch_ns && context.enclosing.empty());
    }

    void rangesDoNotContainThemselves()
    {
        QCOMPARE(sources(contextOf(*m_made.report, m_made.of(7))), (std::vector<uint64_t>{6, 5, 2, 1}));
        QCOMPARE(sources(contextOf(*m_made.report, m_made.of(5))), (std::vector<uint64_t>{2, 1}));
        QCOMPARE(sources(contextOf(*m_made.report, m_made.of(1))), std::vector<uint64_t>());
    }

    void copiesHaveARate()
    {
        QCOMPARE(*throughputOf(*m_made.report, m_made.of(10)), 5000 * 1e9 / 20);
        QVERIFY(!throughputOf(*m_made.report, m_made.of(9)));
    }

  private:
    std::vector<uint64_t> sources(const SliceContext& context) const
    {
        std::vector<uint64_t> out;
        for (const SliceId id : context.enclosing)
            out.push_back(m_made.report->slices.source[id.value].row());
        return out;
    }

    SurroundedSlices m_made;
};

LOCKSTEP_TEST(SliceContextTest, "slice_context_test")
#include "slice_context_test.moc"
