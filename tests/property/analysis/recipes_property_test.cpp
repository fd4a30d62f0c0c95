// SPDX-License-Identifier: Apache-2.0
// Tests recipes on random kernels of two devices: shares of bins and overlaps equal a count nanosecond by
// nanosecond, iterations of a pace add up, and shifted clocks change only timestamps.
#include <array>
#include <vector>

#include "core/analysis/analysis.h"
#include "core/analysis/duration_statistics.h"
#include "core/trace/report_builder.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

#include <rapidcheck.h>

using namespace lockstep;

namespace {

constexpr int64_t kEnd = 240; // of all kernels, ns
constexpr int kDevices = 2;

struct MadeKernel {
    int device = 0;
    int64_t begin = 0, end = 0;
    bool isCommunication = false;
};

std::vector<MadeKernel> someKernels()
{
    std::vector<MadeKernel> out;
    const int count = *rc::gen::inRange(0, 24);
    for (int i = 0; i < count; ++i) {
        const int64_t begin = *rc::gen::inRange<int64_t>(0, kEnd);
        out.push_back({*rc::gen::inRange(0, kDevices), begin, *rc::gen::inRange<int64_t>(begin, kEnd + 1),
                       *rc::gen::arbitrary<bool>()});
    }
    return out;
}

Workspace workspaceOf(const std::vector<MadeKernel>& kernels)
{
    ReportBuilder builder;
    builder.report().provenance.path = "made.sqlite";
    const ProcessId process = builder.process(9, 9);
    const std::array<DeviceId, kDevices> devices{builder.device(process, 0), builder.device(process, 1)};
    uint64_t rows = 0;
    for (const MadeKernel& kernel : kernels) {
        SliceRow row;
        row.kind = RowKind::kernel;
        row.category = kernel.isCommunication ? SliceCategory::communication : SliceCategory::compute;
        row.name = builder.intern(kernel.isCommunication ? "ncclDevKernel_AllReduce" : "gemm");
        row.start_ns = kernel.begin;
        row.duration_ns = kernel.end - kernel.begin;
        row.source = SourceRow::of(0, ++rows);
        SliceBatch batch;
        // Each has its own stream, so that they overlap.
        batch.add(builder.track({TrackKind::gpuStream,
                                 process,
                                 {},
                                 devices[size_t(kernel.device)],
                                 static_cast<int64_t>(rows),
                                 1}),
                  row);
        builder.adopt(std::move(batch));
    }
    Workspace workspace;
    workspace.add(builder.freeze(Progress()).value());
    return workspace;
}

Table recipe(std::string_view what, const Workspace& workspace)
{
    return runAnalysis(what, *makeHeadlessScene(workspace, alignReports(workspace, {})), {},
                       Progress(test::workers()))
        .value();
}

// Returns how many kernels of a device and class run in [t, t + 1).
int running(const std::vector<MadeKernel>& kernels, int device, bool isCommunication, int64_t t)
{
    return static_cast<int>(std::ranges::count_if(kernels, [&](const MadeKernel& k) {
        return k.device == device && k.isCommunication == isCommunication && k.begin <= t && t < k.end;
    }));
}

} // namespace

class RecipesPropertyTest : public QObject {
    Q_OBJECT

  private slots:
    void binsAreCountedByTheNanosecond()
    {
        QVERIFY(rc::check("bins", [] {
            const auto kernels = someKernels();
            const auto workspace = workspaceOf(kernels);
            const int64_t zero =
                alignReports(workspace, {}).map(workspace.keys().front()).alignedFromTrace(TraceTime{0}).ns;
            const std::string bins = std::to_string(*rc::gen::inRange(1, 400));
            const Table table = recipe("nccl_gpu_time_util_map:bins=" + bins, workspace);
            const Table all = recipe("cuda_gpu_time_util_map:bins=" + bins, workspace);
            RC_ASSERT(all.rowCount() == table.rowCount());
            const size_t device = table.columnNamed("DeviceID"), start = table.columnNamed("Start");
            const size_t length = table.columnNamed("Duration"), nccl = table.columnNamed("NCCL");
            for (size_t row = 0; row < table.rowCount(); ++row) {
                const auto on = static_cast<int>(table.number(device, row));
                const int64_t from = table.number(start, row) - zero, for_ns = table.number(length, row);
                int64_t comm = 0, comp = 0, both = 0;
                for (int64_t t = from; t < from + for_ns; ++t) {
                    const bool isComm = running(kernels, on, true, t) > 0,
                               isComp = running(kernels, on, false, t) > 0;
                    comm += isComm;
                    comp += isComp;
                    both += isComm && isComp;
                }
                const auto share = [&](int64_t covered) {
                    return roundedQuotient(__int128(covered) * 10'000, for_ns);
                };
                RC_ASSERT(table.number(nccl, row) == share(comm));
                RC_ASSERT(table.number(nccl + 1, row) == share(comp));
                RC_ASSERT(table.number(nccl + 2, row) == share(both));
                RC_ASSERT(all.number(all.columnNamed("In-Use"), row) == share(comm + comp - both));
                // A row links to a kernel of its bin.
                RC_ASSERT(table.longest(row).isValid() == (comm + comp > 0));
            }
        }));
    }

    void overlapsAreCountedByTheNanosecond()
    {
        QVERIFY(rc::check("overlaps", [] {
            const auto kernels = someKernels();
            const auto workspace = workspaceOf(kernels);
            const Report& report = workspace.report(workspace.keys().front());
            for (const bool isUnion : {true, false}) {
                const Table table =
                    recipe(isUnion ? "nccl_gpu_overlap_trace" : "nccl_gpu_overlap_trace:mode=sum", workspace);
                const size_t shown = static_cast<size_t>(std::ranges::count_if(
                    kernels, [](const MadeKernel& kernel) { return kernel.end > kernel.begin; }));
                RC_ASSERT(table.rowCount() == shown);
                const size_t first = table.columnNamed("Communication Overlap");
                for (size_t row = 0; row < table.rowCount(); ++row) {
                    const SliceId slice = table.longest(row).slice;
                    const MadeKernel& own = kernels[report.slices.source[slice.value].row() - 1];
                    for (const bool isCommunication : {true, false}) {
                        int64_t beside = 0;
                        for (int64_t t = own.begin; t < own.end; ++t) {
                            const int others = running(kernels, own.device, isCommunication, t) -
                                               (own.isCommunication == isCommunication ? 1 : 0);
                            beside += isUnion ? std::min(others, 1) : others;
                        }
                        RC_ASSERT(table.number(first + (isCommunication ? 0 : 1), row) ==
                                  roundedQuotient(__int128(beside) * 1000, own.end - own.begin));
                    }
                }
            }
        }));
    }

    void iterationsAddUp()
    {
        QVERIFY(rc::check("pace", [] {
            const auto kernels = someKernels();
            const Table table = recipe("cuda_gpu_kern_pace:name=gemm", workspaceOf(kernels));
            const size_t device = table.columnNamed("DeviceID"), first = table.columnNamed("Iteration");
            int64_t deltas = 0, last = -1;
            for (int on = 0; on < kDevices; ++on) {
                std::vector<int64_t> begins;
                for (const MadeKernel& kernel : kernels)
                    if (kernel.device == on && !kernel.isCommunication && kernel.end > kernel.begin)
                        begins.push_back(kernel.begin);
                std::ranges::sort(begins);
                size_t i = 0;
                for (size_t row = 0; row < table.rowCount(); ++row) {
                    if (table.number(device, row) != on) continue;
                    RC_ASSERT(table.number(first, row) == static_cast<int64_t>(i));
                    RC_ASSERT(table.number(first + 3, row) == begins[i] - begins[0]);
                    RC_ASSERT(table.hasNumber(first + 2, row) == (i + 1 < begins.size()));
                    if (i + 1 < begins.size())
                        RC_ASSERT(table.number(first + 2, row) == begins[i + 1] - begins[i]);
                    ++i;
                }
                RC_ASSERT(i == begins.size());
            }
            // A value above the mean of one is below the mean of others; each is rounded by up to 1 ns.
            for (size_t row = 0; row < table.rowCount(); ++row) {
                if (table.hasNumber(first + 4, row)) deltas += table.number(first + 4, row);
                last = std::max(last, table.number(first, row));
            }
            RC_ASSERT(std::abs(deltas) <= kDevices * (last + 1));
        }));
    }
};

LOCKSTEP_TEST(RecipesPropertyTest, "recipes_property_test")
#include "recipes_property_test.moc"
