// SPDX-License-Identifier: Apache-2.0
#include "core/readers/perfetto/perfetto_reader.h"

#include "core/base/inflate.h"
#include "core/base/mapped_file.h"
#include "core/readers/cut_stream.h"
#include "core/readers/perfetto/event_arguments.h"
#include "core/readers/perfetto/event_assembly.h"
#include "core/readers/perfetto/packet_walk.h"
#include "core/readers/perfetto/track_tree.h"
#include "core/readers/registry.h"

namespace lockstep {

namespace {

bool isPerfettoFile(const FileSniff& file)
{
    return looksLikePerfetto(file.text);
}

// The bytes of the trace, mapped or decompressed, owned by this object.
struct TraceBytes {
    MappedFile mapped;
    Inflated unpacked;
    bool isUnpacked = false;

    std::string_view text() const { return isUnpacked ? std::string_view(unpacked.bytes) : mapped.text(); }
};

Result<TraceBytes> bytesOf(const std::filesystem::path& path, const Progress& progress)
{
    TraceBytes out{LOCKSTEP_TRY(MappedFile::open(path)), {}, false};
    out.mapped.watch(progress.place().limit());
    const std::string_view raw = out.mapped.text();
    if (isCompressed(raw)) {
        out.unpacked = LOCKSTEP_TRY(uncompressed(raw, unpackLimit_bytes(raw.size()), progress));
        out.isUnpacked = true;
    }
    return out;
}

Result<std::unique_ptr<Report>> readPerfettoFile(const FileSniff& file, const Progress& progress)
{
    const auto readAll = [&]() -> Result<std::unique_ptr<Report>> {
        const TraceBytes bytes = LOCKSTEP_TRY(bytesOf(file.path, progress));
        Provenance provenance;
        provenance.path = file.path;
        provenance.size_bytes = file.size_bytes;
        return readPerfetto(bytes.text(), provenance, progress, bytes.unpacked.isComplete);
    };
    auto report = readAll();
    if (!report) return tl::make_unexpected(withContext(report.error(), file.path.string()));
    return report;
}

Result<SliceDetails> perfettoDetails(const Report& report, SliceId slice)
{
    const TraceBytes bytes = LOCKSTEP_TRY(bytesOf(report.provenance.path, Progress()));
    const uint64_t ordinal = report.slices.source[slice.value].row();
    SliceDetails out;
    bool isFound = false;
    ImportNotes ignored;
    const auto findEvent = [&](const TrackEventPacket& packet) {
        if (packet.ordinal != ordinal) return;
        out.arguments =
            packet.kind == PacketKind::gpuStage ? readGpuStage(packet).arguments : eventArguments(packet);
        isFound = true;
    };
    PacketWalk walk(ignored, findEvent, [](std::string_view) { return true; });
    LOCKSTEP_TRY(walk.run(bytes.text(), Progress()));
    if (!isFound)
        return makeError(ErrorKind::notFound, "the file changed since it was opened", HelpTopic::changedFile);
    out.source = "packet " + std::to_string(ordinal);
    return out;
}

void addOtherPackets(const PacketWalk& walk, Report& report)
{
    for (const auto& [field, count] : walk.otherPackets()) {
        report.notes.add("perfetto.other_packets." + std::to_string(field), NoteSeverity::dataLoss,
                         "packets from a data source that Lockstep does not show",
                         "TracePacket field " + std::to_string(field), count);
    }
}

} // namespace

Result<std::unique_ptr<Report>> readPerfetto(std::string_view trace, const Provenance& provenance,
                                             const Progress& progress, bool isComplete)
{
    ReportBuilder builder;
    Report& report = builder.report();
    report.provenance = provenance;
    report.provenance.kind = "perfetto";
    report.provenance.producer = "Perfetto";
    report.sourceTables = {"packet"};
    if (!isComplete) noteCutStream(report.notes, trace.size());
    TrackTree tracks(builder);
    EventAssembly events(builder, tracks, progress.place().temporary());
    PacketWalk walk(
        report.notes, [&](const TrackEventPacket& packet) { events.add(packet); },
        [&](std::string_view descriptor) { return tracks.add(descriptor); });
    LOCKSTEP_TRY(walk.run(trace, progress));
    report.rowCounts.emplace_back("packet", walk.packetCount());
    LOCKSTEP_TRY(events.finish(walk.clocks(), progress));
    addOtherPackets(walk, report);
    report.clock.name = "Perfetto trace clock";
    report.clock.utcAtZero_ns = walk.clocks().utcAtZero_ns();
    if (report.clock.utcAtZero_ns) {
        report.clock.utcResolution_ns = 1;
        report.clock.utcSource = "ClockSnapshot REALTIME";
    } else if (walk.clocks().snapshotCount() == 0 && events.hasUnixTimestamps()) {
        report.clock.utcAtZero_ns = 0;
        report.clock.utcResolution_ns = 1;
        report.clock.utcSource = "timestamps between 2015 and 2100 as ns since the Unix epoch";
    }
    if (walk.packetCount() == 0) return makeError(ErrorKind::corrupt, "no Perfetto packet could be read");
    return builder.freeze(progress);
}

Reader perfettoReader()
{
    return {.format = formatNamed("perfetto"),
            .title = "Perfetto traces",
            .memory_tenths = 20,
            .recognizes = isPerfettoFile,
            .read = readPerfettoFile,
            .details = perfettoDetails};
}

} // namespace lockstep
