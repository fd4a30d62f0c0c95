// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/nsys_stats/cuda_gpu_trace.h"

#include <array>

#include "core/analysis/duration_statistics.h"
#include "core/analysis/nsys_stats/kernel_labels.h"
#include "core/analysis/nsys_stats/trace_stream.h"

namespace lockstep {

namespace {

constexpr std::string_view kGpuTraceTitle = "CUDA GPU trace";
constexpr std::array kGpuTraceArguments{kNvtxNameArgument, kBaseArgument, kMangledArgument};
constexpr RowKinds kTracedWork = rowKinds({RowKind::kernel, RowKind::memcpy, RowKind::memset});
constexpr RowFactSet kWorkFacts =
    rowFacts({RowFact::correlation, RowFact::context, RowFact::gridX, RowFact::gridY, RowFact::gridZ,
              RowFact::blockX, RowFact::blockY, RowFact::blockZ, RowFact::registers, RowFact::staticShared,
              RowFact::dynamicShared, RowFact::size, RowFact::sourceKind, RowFact::destinationKind});

class GpuTrace : public TraceStream {
  public:
    GpuTrace(const AnalysisRequest& request, KernelLabels&& labels)
        : TraceStream(request, kGpuTraceTitle, request.scope, kTracedWork, kTracedWork,
                      kWorkFacts | labels.facts()),
          m_labels(std::move(labels))
    {
        addTime("Start", "start time, on the report's own clock");
        addTime("Duration", "duration of the row");
        addCount("CorrId", "links the work to the call that launched it, within its process");
        for (const char* const name : {"GrdX", "GrdY", "GrdZ"})
            addCount(name, "blocks per grid in this direction");
        for (const char* const name : {"BlkX", "BlkY", "BlkZ"})
            addCount(name, "threads per block in this direction");
        addCount("Reg/Trd", "registers per thread");
        addAmount("StcSMem", "MB", "static shared memory per block, in 10^6 bytes");
        addAmount("DymSMem", "MB", "dynamic shared memory per block, in 10^6 bytes");
        addAmount("Bytes", "MB", "bytes copied or set, in 10^6 bytes");
        addAmount("Throughput", "MB/s", "Bytes / Duration; empty for a duration of 0");
        addText("SrcMemKd", "kind of source memory, or of the memory that was set");
        addText("DstMemKd", "kind of destination memory");
        addText("Device", "device name, and its CUDA ordinal in the process");
        addCount("Ctx", "CUDA context");
        addCount("Strm", "stream");
        addText("Name", "");
        finishColumns("slices of kind kernel, memcpy and memset", m_labels.rules());
    }

  protected:
    void expand(const PlacedRow& row, std::vector<TraceRow>& lines) const override
    {
        lines.push_back({row.ref(), {}, row.group});
    }

    bool isListed(const TraceRow& line, size_t i) override
    {
        const Report& of = report(line.row.report);
        const bool isKernel = of.slices.kind[line.row.slice.value] == RowKind::kernel;
        m_name = isKernel ? m_labels.label(line.row, facts().text(i, RowFact::mangledName))
                          : std::string(copyKindName(copyKindOf(of, line.row.slice)));
        return isNamed(m_name);
    }

    void fill(Table& page, size_t first, const TraceRow& line, size_t i) override
    {
        const Report& of = report(line.row.report);
        const SliceId slice = line.row.slice;
        page.setNumber(first, of.slices.start_ns[slice.value]);
        page.setNumber(first + 1, of.slices.duration_ns[slice.value]);
        setFact(page, first + 2, i, RowFact::correlation);
        if (of.slices.kind[slice.value] == RowKind::kernel) {
            for (size_t n = 0; n < 7; ++n) // columns GrdX to Reg/Trd
                setFact(page, first + 3 + n, i, static_cast<RowFact>(size_t(RowFact::gridX) + n));
            setMillions(page, first + 10, facts().number(i, RowFact::staticShared));
            setMillions(page, first + 11, facts().number(i, RowFact::dynamicShared));
        } else {
            fillMoved(page, first + 12, line, i);
        }
        fillPlace(page, first + 16, line, i);
        page.setText(first + 19, m_name);
    }

  private:
    // Fills Bytes, Throughput, SrcMemKd, DstMemKd.
    void fillMoved(Table& page, size_t column, const TraceRow& line, size_t i) const
    {
        const Report& of = report(line.row.report);
        const MemoryOp* const op = of.memoryOpOf(line.row.slice);
        std::optional<int64_t> size = facts().number(i, RowFact::size);
        if (!size && op != nullptr && op->size_bytes <= uint64_t(kAllTime.end.ns))
            size = static_cast<int64_t>(op->size_bytes);
        const int64_t length_ns = of.slices.duration_ns[line.row.slice.value];
        setMillions(page, column, size);
        if (size && length_ns > 0)
            page.setNumber(column + 1, roundedQuotient(__int128(*size) * 1'000'000, length_ns));
        const bool isCopy = of.slices.kind[line.row.slice.value] == RowKind::memcpy;
        const MemoryKind source = op == nullptr ? MemoryKind::unknown : isCopy ? op->source : op->destination;
        setKind(page, column + 2, facts().number(i, RowFact::sourceKind), source);
        if (isCopy)
            setKind(page, column + 3, facts().number(i, RowFact::destinationKind),
                    op == nullptr ? MemoryKind::unknown : op->destination);
    }

    // Uses the recorded value if there is one, even if it is "Unknown"; otherwise uses the kind that is
    // stored in the report, unless that kind is unknown.
    static void setKind(Table& page, size_t column, std::optional<int64_t> stated, MemoryKind kept)
    {
        const bool isKind = stated && *stated >= 0 && *stated <= int64_t(MemoryKind::unknown);
        if (isKind)
            page.setText(column, memoryKindName(static_cast<MemoryKind>(*stated)));
        else if (kept != MemoryKind::unknown)
            page.setText(column, memoryKindName(kept));
    }

    // Fills Device, Ctx, Strm.
    void fillPlace(Table& page, size_t column, const TraceRow& line, size_t i) const
    {
        const Report& of = report(line.row.report);
        const TrackKey& key = trackOf(line.row).key;
        if (key.device.isValid()) {
            const Device& device = of.devices[key.device.value];
            const std::string_view name = of.strings.at(device.name);
            page.setText(column, std::string(name) + (name.empty() ? "(" : " (") +
                                     std::to_string(device.ordinal) + ")");
        }
        const auto context = facts().number(i, RowFact::context);
        if (context)
            page.setNumber(column + 1, *context);
        else if (key.context != 0)
            page.setNumber(column + 1, key.context);
        if (key.lane >= 0) page.setNumber(column + 2, key.lane);
    }

    const KernelLabels m_labels;
    std::string m_name; // values of the current line
};

Result<std::unique_ptr<RowStream>> gpuTraceRows(const AnalysisRequest& request, const Progress& progress)
{
    KernelLabels labels = LOCKSTEP_TRY(KernelLabels::of(request, progress));
    return std::make_unique<GpuTrace>(request, std::move(labels));
}

} // namespace

Analysis cudaGpuTrace()
{
    return {.name = "cuda_gpu_trace",
            .title = kGpuTraceTitle,
            .rows = "kernels, copies or memsets",
            .arguments = kGpuTraceArguments,
            .run = nullptr,
            .stream = gpuTraceRows};
}

} // namespace lockstep
