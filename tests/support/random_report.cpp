// SPDX-License-Identifier: Apache-2.0
#include "tests/support/random_report.h"

#include "core/trace/report_builder.h"

namespace lockstep::test {

namespace {

int64_t anyOf(int64_t from, int64_t to)
{
    return *rc::gen::inRange<int64_t>(from, to);
}

template<class T>
void maybe(Sourced<T>& field, T value)
{
    if (*rc::gen::arbitrary<bool>()) field.learn(value, *rc::gen::string<std::string>(), Confidence::stated);
}

Identity randomIdentity()
{
    Identity out;
    maybe(out.run, *rc::gen::string<std::string>());
    maybe(out.host, *rc::gen::string<std::string>());
    maybe(out.role, *rc::gen::string<std::string>());
    maybe(out.rank, *rc::gen::arbitrary<int>());
    maybe(out.worldSize, *rc::gen::arbitrary<int>());
    maybe(out.step, *rc::gen::arbitrary<int>());
    maybe(out.stage, *rc::gen::string<std::string>());
    maybe(out.captureIndex, *rc::gen::arbitrary<int>());
    maybe(out.pid, *rc::gen::arbitrary<int64_t>());
    return out;
}

std::shared_ptr<const MemorySnapshot> randomMemory(ReportBuilder& builder)
{
    auto memory = std::make_shared<MemorySnapshot>();
    memory->frames = {{builder.intern("f"), builder.intern("a.py"), 3, builder.intern("")}};
    memory->stackFrames = {MemoryFrameId(0u), MemoryFrameId(0u)};
    memory->stackBegin = {0, 2};
    memory->devices = {kHostMemory, 0};
    MemoryEntryTable& entries = memory->entries;
    const int64_t rows = anyOf(0, 50);
    const bool hasPool = *rc::gen::arbitrary<bool>();
    for (int64_t i = 0; i < rows; ++i) {
        entries.device.push_back(0);
        entries.action.push_back(static_cast<MemoryAction>(anyOf(0, int64_t(MemoryAction::count))));
        entries.address.push_back(*rc::gen::arbitrary<uint64_t>());
        entries.size_bytes.push_back(*rc::gen::arbitrary<uint64_t>());
        entries.stream.push_back(*rc::gen::arbitrary<uint64_t>());
        entries.time_ns.push_back(i);
        entries.stack.push_back(*rc::gen::arbitrary<bool>() ? MemoryStackId(0u) : MemoryStackId());
        if (hasPool)
            entries.pool.push_back({*rc::gen::arbitrary<uint64_t>(), *rc::gen::arbitrary<uint64_t>()});
    }
    MemorySegmentTable& segments = memory->segments;
    segments = {{0},
                {4096},
                {100},
                {1},
                {2},
                {3},
                {~uint64_t(0)},
                {{1, 2}},
                {builder.intern("small")},
                {1},
                {MemoryStackId()},
                {0},
                {1}};
    memory->blocks = {{4096}, {100}, {90}, {BlockState::pendingFree}, {MemoryStackId(0u)}};
    return memory;
}

void addSlices(ReportBuilder& builder, const std::vector<TrackId>& tracks, const std::vector<StringId>& names)
{
    SliceBatch batch;
    const int64_t rows = anyOf(0, 300);
    for (int64_t i = 0; i < rows; ++i) {
        SliceRow row;
        row.start_ns = *rc::gen::oneOf(rc::gen::inRange<int64_t>(-50, 500),
                                       rc::gen::inRange<int64_t>(kAllTime.begin.ns / 2, kAllTime.end.ns / 2));
        row.duration_ns = *rc::gen::element<int64_t>(0, 1, 7, 100, 1'000'000'000'000);
        row.source = SourceRow::of(static_cast<uint8_t>(anyOf(0, 255)), static_cast<uint64_t>(i));
        row.name = *rc::gen::elementOf(names);
        row.kind = static_cast<RowKind>(anyOf(0, int64_t(RowKind::count)));
        row.category = static_cast<SliceCategory>(anyOf(0, int64_t(SliceCategory::count)));
        row.flags = static_cast<uint8_t>(anyOf(0, 8));
        row.correlation = static_cast<uint32_t>(anyOf(0, 20));
        batch.add(*rc::gen::elementOf(tracks), row);
        if (i % 7 == 0) batch.addColor(row.source, 0xABCDEF);
        if (i % 5 == 0)
            batch.addMemoryOp(row.source, {{}, CopyKind::deviceToHost, MemoryKind::pinned, {}, 77});
        if (i > 0 && i % 11 == 0)
            batch.addFlow({static_cast<uint64_t>(i % 3), row.start_ns, tracks[0], FlowRole::end});
    }
    builder.adopt(std::move(batch));
}

// Samples and spans that refer to rows of addSlices(), some of which may not exist.
void addSamples(ReportBuilder& builder, const std::vector<StringId>& names)
{
    SampleTables tables;
    ReportBuilder::SampleSources sources;
    const auto name = [&] { return *rc::gen::elementOf(names); };
    const auto source = [] {
        return SourceRow::of(static_cast<uint8_t>(anyOf(0, 255)), uint64_t(anyOf(0, 300)));
    };
    const int64_t samples = anyOf(0, 20);
    for (int64_t i = 0; i < samples; ++i) {
        Sample sample;
        sample.id = name();
        sample.statusText = name();
        sample.process = ProcessId(0u);
        sample.start_ns = anyOf(0, 100);
        sample.end_ns = anyOf(100, 200);
        sample.step = anyOf(0, 3);
        sample.status = static_cast<SampleStatus>(anyOf(0, int64_t(SampleStatus::count)));
        tables.samples.push_back(sample);
        sources.samples.push_back(i % 3 == 0 ? std::nullopt : std::optional(source()));
        tables.spans.push_back({.sample = SampleId(uint32_t(anyOf(0, i + 1))),
                                .request = name(),
                                .kind = static_cast<SpanKind>(anyOf(0, int64_t(SpanKind::count))),
                                .isDerived = uint8_t(i % 2)});
        sources.spans.push_back(source());
        tables.weightUpdates.push_back({{}, i, anyOf(0, 100)});
        sources.weightUpdates.push_back(source());
        tables.stepValues.push_back({name(), i, 0.5});
        tables.replicaGpus.push_back({i, name(), name(), {}, int32_t(i)});
    }
    builder.setSamples(std::move(tables), std::move(sources));
}

} // namespace

std::shared_ptr<const Report> randomReport()
{
    ReportBuilder builder;
    Report& report = builder.report();
    report.provenance = {
        *rc::gen::string<std::string>(), "", *rc::gen::arbitrary<uint64_t>(), "kind", "producer", "1"};
    report.identity = randomIdentity();
    if (*rc::gen::arbitrary<bool>()) report.clock = {"c", anyOf(-9, 9), 1, anyOf(-9, 9), "source"};
    report.session = {{anyOf(-100, 100)}, {anyOf(-100, 1000)}};
    report.facts = *rc::gen::container<std::vector<Fact>>(rc::gen::arbitrary<Fact>());
    report.sourceTables = {"", *rc::gen::string<std::string>()};
    report.rowCounts = {{"kernel", *rc::gen::arbitrary<uint64_t>()}};
    report.notes.add(*rc::gen::string<std::string>(), NoteSeverity::dataLoss, "text", "example", 3);
    std::vector<StringId> names{builder.intern("")};
    const int64_t nameCount = anyOf(0, 20);
    for (int64_t i = 0; i < nameCount; ++i)
        names.push_back(builder.intern(*rc::gen::string<std::string>()));
    report.shortNames = {{names.back(), names.front()}};
    std::vector<TrackId> tracks;
    const int64_t processes = anyOf(1, 4);
    for (int64_t pid = 1; pid <= processes; ++pid) {
        const ProcessId process = builder.process(static_cast<uint64_t>(pid), pid);
        report.processes[process.value].identity = randomIdentity();
        tracks.push_back(
            builder.track({TrackKind::cudaApi, process, builder.thread(process, pid), {}, 0, 0}));
        tracks.push_back(
            builder.track({TrackKind::gpuStream, process, {}, builder.device(process, 0), 7, 1}));
        CounterTrack counter{names.back(), names.front(), process, {}, CounterShape::points, 0, 0};
        builder.addSamples(builder.addCounterTrack(counter),
                           *rc::gen::container<std::vector<std::pair<int64_t, double>>>(rc::gen::pair(
                               rc::gen::inRange<int64_t>(-1000, 1000), rc::gen::arbitrary<double>())));
    }
    addSlices(builder, tracks, names);
    if (*rc::gen::arbitrary<bool>()) addSamples(builder, names);
    if (*rc::gen::arbitrary<bool>()) report.memory = randomMemory(builder);
    return builder.freeze(Progress()).value();
}

TimeRange randomView(TimeRange all)
{
    const int64_t step_ns = std::max<int64_t>(1, all.length().ns / 100);
    const int64_t begin = all.begin.ns + step_ns * *rc::gen::inRange(-10, 100);
    return {{begin}, {begin + 1 + step_ns * *rc::gen::inRange(0, 120)}};
}

} // namespace lockstep::test
