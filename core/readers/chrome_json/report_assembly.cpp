// SPDX-License-Identifier: Apache-2.0
#include "core/readers/chrome_json/report_assembly.h"

#include <algorithm>
#include <array>
#include <set>

#include "core/base/text.h"
#include "core/readers/chrome_json/collective_rows.h"
#include "core/readers/chrome_json/nccl_plugin.h"
#include "core/trace/import_notes.h"
#include "core/trace/kernel_name.h"

namespace lockstep {

namespace {

size_t rowsIn(const SliceBatch& batch, size_t lane)
{
    return lane < batch.byTrack.size() ? batch.byTrack[lane].count : 0;
}

// Returns the address that is contained in a process name of `ray timeline` ("Node 10.0.0.5"), or in a pid
// written before 2022.
std::optional<std::string> rayNode(std::string_view name)
{
    const std::string_view address = name.starts_with("Node ") ? name.substr(5) : name;
    const bool isAddress = address.find_first_not_of("0123456789.") == std::string_view::npos &&
                           std::ranges::count(address, '.') == 3;
    return isAddress ? std::optional(std::string(address)) : std::nullopt;
}

} // namespace

ReportAssembly::ReportAssembly(std::vector<EventRows>& workers, const SharedFacts& shared,
                               ReportBuilder& builder)
    : m_workers(workers), m_shared(shared), m_builder(builder)
{
}

void ReportAssembly::run(const std::map<std::string, std::string, std::less<>>& groups,
                         std::span<const int64_t> devices)
{
    for (const EventRows& worker : m_workers)
        m_isKineto |= worker.hasKineto;
    mergeNames();
    m_profilerName = m_builder.intern("PyTorch Profiler");
    chooseGpuOwner();
    matchDevices(devices);
    findXlaStreams();
    findStarts();
    collectHalves();
    makeTracks();
    SliceBatch joined;
    joined.collectives = joinCollectives(m_workers, m_names, groups, m_builder.report().strings);
    m_builder.adopt(std::move(joined));
    moveRows();
    addNcclKernels(m_workers, m_builder);
    moveCounters();
    nameEntities();
    countRows();
}

void ReportAssembly::mergeNames()
{
    for (const EventRows& worker : m_workers) {
        m_actors.add(worker);
        std::vector<StringId> names;
        for (uint32_t id = 0; id < worker.names.size(); ++id) {
            const std::string_view name = worker.names.at(StringId(id));
            names.push_back(m_builder.intern(name));
            // Traces contain only the demangled name.
            const std::string_view base = worker.isKernel(StringId(id)) ? kernelBaseName(name) : name;
            if (base.size() != name.size())
                m_builder.report().shortNames.emplace_back(names.back(), m_builder.intern(base));
        }
        m_names.push_back(std::move(names));
    }
}

// Correlation IDs are unique within a process. A Kineto trace has one profiled process, and a merged trace
// has one per source trace. This is the process that has CUDA calls, otherwise the one that has ops.
void ReportAssembly::chooseGpuOwner()
{
    std::map<std::string, std::map<int64_t, std::array<size_t, 3>>, std::less<>> weights;
    for (const EventRows& worker : m_workers) {
        for (size_t lane = 0; lane < worker.lanes.size(); ++lane) {
            const TrackKind kind = worker.lanes[lane].kind;
            const size_t weight = kind == TrackKind::cudaApi ? 0 : kind == TrackKind::ops ? 1 : 2;
            const bool isCpu = weight < 2 || kind == TrackKind::python || kind == TrackKind::memoryEvents;
            const int64_t process = m_actors.numberOf(worker.lanes[lane].process, worker);
            const std::string_view part = partOf(process);
            if (!isCpu || (worker.lanes[lane].process.isText && part.empty())) continue;
            weights[std::string(part)][process][weight] += rowsIn(worker.batch, lane);
        }
    }
    for (const auto& [part, processes] : weights) {
        const auto best =
            std::ranges::max_element(processes, {}, [](const auto& entry) { return entry.second; });
        m_gpuOwners[part] = best->first;
    }
}

// Returns the source trace of a process in a merged trace, or "" for other traces.
std::string_view ReportAssembly::partOf(int64_t process) const
{
    const auto merged = m_isKineto ? mergedPid(m_actors.textOf(process)) : std::nullopt;
    return merged ? merged->part : std::string_view();
}

int64_t ReportAssembly::gpuOwnerOf(int64_t process) const
{
    const auto owner = m_gpuOwners.find(partOf(process));
    return owner != m_gpuOwners.end() ? owner->second : 0;
}

// If GPU kernels use one GPU number, and memory rows or the properties use a single different number, both
// numbers mean the same GPU.
void ReportAssembly::matchDevices(std::span<const int64_t> devices)
{
    if (devices.empty()) return;
    std::set<int64_t> working, remembering;
    for (const EventRows& worker : m_workers) {
        for (const LaneKey& lane : worker.lanes) {
            if (lane.kind == TrackKind::gpuStream && lane.device >= 0) working.insert(lane.device);
        }
        for (const CounterSeries& series : worker.counters) {
            if (series.key.device >= 0) remembering.insert(series.key.device);
        }
    }
    if (remembering.empty()) remembering.insert(devices.begin(), devices.end());
    if (working.size() != 1 || remembering.size() != 1 || *working.begin() == *remembering.begin()) return;
    m_renumbered = {*working.begin(), *remembering.begin()};
    m_builder.report().notes.add(
        "device.renumbered", NoteSeverity::info,
        "kernels and memory rows number the same GPU differently; using the number within the process",
        "GPU " + std::to_string(m_renumbered->first) + " is GPU " + std::to_string(m_renumbered->second));
}

// XLA's profiler (JAX, TensorFlow) writes events without categories; the thread name identifies their kind.
// In process "/device:GPU:0", threads such as "Stream #13(compute)" contain the GPU work. "XLA Ops", "XLA
// Modules", "Steps" and similar threads cover the same times, so they remain plain slices.
void ReportAssembly::findXlaStreams()
{
    constexpr std::string_view kDevice = "/device:GPU:", kStream = "Stream #";
    std::map<int64_t, int64_t> devices; // by process
    const auto forEachName = [&](MetadataRow::What what, const auto& visit) {
        for (const EventRows& worker : m_workers) {
            for (const MetadataRow& row : worker.metadata) {
                if (row.what != what) continue;
                visit(Actors{m_actors.numberOf(row.process, worker), m_actors.numberOf(row.thread, worker)},
                      worker.names.at(row.text));
            }
        }
    };
    forEachName(MetadataRow::What::processName, [&](const Actors& actors, std::string_view name) {
        const size_t at = name.find(kDevice);
        const auto device =
            at != std::string_view::npos ? parseInt(name.substr(at + kDevice.size())) : std::nullopt;
        if (device) devices[actors.first] = *device;
    });
    if (devices.empty()) return;
    forEachName(MetadataRow::What::threadName, [&](const Actors& actors, std::string_view name) {
        const auto device = devices.find(actors.first);
        if (device != devices.end() && name.starts_with(kStream)) m_xlaStreams[actors] = device->second;
    });
}

// AReaL appends to the file of an earlier run. Each start writes a process_name, "[actor] Rank 0, Process",
// and counts its times from its own start (areal/utils/perf_tracer.py), often with the same process ID.
void ReportAssembly::findStarts()
{
    const auto isOfAreal = [](std::string_view name) {
        const bool hasRank = name.starts_with("Rank ") || name.find("] Rank ") != std::string_view::npos;
        return hasRank && name.ends_with(", Process");
    };
    for (const EventRows& worker : m_workers) {
        for (const MetadataRow& row : worker.metadata) {
            const std::string_view name = worker.names.at(row.text);
            if (row.what == MetadataRow::What::processName && !row.process.isText && isOfAreal(name))
                m_starts[m_actors.numberOf(row.process, worker)].push_back({row.offset, name});
        }
    }
    size_t count = 0;
    for (auto& [process, starts] : m_starts) {
        std::ranges::sort(starts, {}, &Start::offset);
        count += starts.size();
    }
    if (count < 2) return;
    m_builder.report().notes.add(
        "trace.origins", NoteSeverity::warning,
        "starts of a process in this file, each shown as a process with its own origin of "
        "time: times of different processes cannot be compared",
        "process_name", count);
}

bool ReportAssembly::isXlaStream(const LaneKey& lane, const Place& place) const
{
    return lane.kind == TrackKind::other && lane.stream == 0 &&
           m_xlaStreams.contains({place.process, place.thread});
}

ReportAssembly::Place ReportAssembly::placeOf(const LaneKey& lane, size_t worker) const
{
    const EventRows& rows = m_workers[worker];
    Place place{m_actors.numberOf(lane.process, rows),
                m_actors.numberOf(lane.thread, rows),
                lane.kind,
                lane.device,
                lane.stream,
                lane.context,
                StringId()};
    const auto merged = lane.process.isText ? mergedPid(m_actors.textOf(place.process)) : std::nullopt;
    if (m_isKineto && lane.process.isText && !(merged && parseInt(merged->own))) {
        // The profiler's own rows have strings as pids ("Spans", "Traces", ""). They become one lane of the
        // profiled process.
        return {gpuOwnerOf(place.process), 0, TrackKind::other, 0, 1, 0, m_profilerName};
    }
    if (m_renumbered && place.device == m_renumbered->first) place.device = m_renumbered->second;
    if (isXlaStream(lane, place)) {
        place.kind = TrackKind::gpuStream;
        place.device = m_xlaStreams.at({place.process, place.thread});
        place.stream = place.thread;
    }
    const bool isAsync = lane.kind == TrackKind::other && lane.stream > 0;
    if (isAsync) {
        place.category = m_names[worker][static_cast<size_t>(lane.stream - 1)];
        place.stream = 1;
    }
    return place;
}

// Collects the half-event rows of all workers, with common IDs for lanes, threads and names.
void ReportAssembly::collectHalves()
{
    // Numbered by content, because pairing processes them in this order and its notes contain the first one.
    std::map<Place, uint32_t> numbers;
    for (size_t worker = 0; worker < m_workers.size(); ++worker) {
        const EventRows& rows = m_workers[worker];
        for (const HalfRow& half : rows.halves) {
            for (const uint32_t lane : {half.lane, half.thread})
                numbers.try_emplace(placeOf(rows.lanes[lane], worker));
        }
    }
    for (auto& [place, number] : numbers) {
        number = static_cast<uint32_t>(m_halfPlaces.size());
        m_halfPlaces.push_back(place);
    }
    for (size_t worker = 0; worker < m_workers.size(); ++worker) {
        EventRows& rows = m_workers[worker];
        for (HalfRow half : rows.halves) {
            half.lane = numbers.at(placeOf(rows.lanes[half.lane], worker));
            half.thread = numbers.at(placeOf(rows.lanes[half.thread], worker));
            half.name = m_names[worker][half.name.value];
            m_halves.push_back(half);
        }
        rows.halves = {};
    }
}

void ReportAssembly::makeTracks()
{
    for (size_t worker = 0; worker < m_workers.size(); ++worker) {
        const EventRows& rows = m_workers[worker];
        for (size_t lane = 0; lane < rows.lanes.size(); ++lane) {
            if (rowsIn(rows.batch, lane) > 0) m_places.try_emplace(placeOf(rows.lanes[lane], worker));
        }
    }
    for (const Place& place : m_halfPlaces) {
        if (place.kind != TrackKind::count) m_places.try_emplace(place);
    }
    // Category IDs depend on which worker found a category first, but lanes must not depend on this.
    for (const auto& [place, track] : m_places) {
        if (place.category.isValid()) m_categories.try_emplace(m_builder.text(place.category));
    }
    int64_t number = 0;
    for (auto& [text, lane] : m_categories)
        lane = ++number;
    for (auto& [place, track] : m_places)
        track = makeTrack(place);
}

ProcessId ReportAssembly::processOf(int64_t number)
{
    const auto [entry, isNew] = m_processes.try_emplace(number);
    if (isNew) {
        const std::string_view text = m_actors.textOf(number);
        const auto merged = m_isKineto ? mergedPid(text) : std::nullopt;
        const auto pid = merged ? parseInt(merged->own) : std::nullopt;
        entry->second = m_builder.process(static_cast<uint64_t>(number), pid.value_or(number));
        if (text.empty()) return entry->second;
        Process& made = m_builder.report().processes[entry->second.value];
        made.name = m_builder.intern(text);
        if (const auto host = rayNode(text))
            made.identity.host.learn(*host, "process name", Confidence::guessed);
    }
    return entry->second;
}

TrackId ReportAssembly::makeTrack(const Place& place)
{
    TrackKey key;
    key.kind = place.kind;
    if (place.kind <= TrackKind::gpuAnnotation) {
        const bool isXla = m_xlaStreams.contains({place.process, place.thread});
        key.process = processOf(isXla ? place.process : gpuOwnerOf(place.process));
        key.device =
            m_builder.device(key.process, static_cast<int>(std::clamp<int64_t>(place.device, -1, 1'000'000)));
        key.lane = place.stream;
        key.context = place.context;
    } else if (place.category.isValid()) {
        key.process = processOf(place.process);
        key.lane = m_categories.at(m_builder.text(place.category));
        const TrackId track = m_builder.track(key);
        m_builder.setTrackName(track, place.category);
        return track;
    } else {
        key.process = processOf(place.process);
        key.thread = m_builder.thread(key.process, place.thread);
        m_threads[{place.process, place.thread}] = key.thread;
        const std::string_view text = m_actors.textOf(place.thread);
        if (!text.empty()) m_builder.report().threads[key.thread.value].name = m_builder.intern(text);
    }
    const TrackId track = m_builder.track(key);
    m_tracksOfThread[{place.process, place.thread}].emplace_back(place.kind, track);
    return track;
}

void ReportAssembly::moveRows()
{
    ImportNotes& notes = m_builder.report().notes;
    SliceBatch paired;
    for (const PairedRow& row : pairHalves(m_halves, m_halves.empty() ? 0 : lastTimestamp(), notes)) {
        const auto place = m_places.find(m_halfPlaces[row.lane]);
        if (place != m_places.end() && isPlausible(row.row.start_ns, row.row.duration_ns)) {
            paired.add(place->second, row.row);
        } else {
            notes.add("row.no_time", NoteSeverity::dataLoss, "events without a readable ts: not shown",
                      "byte " + std::to_string(row.row.source.row()));
        }
    }
    m_halves = {};
    for (size_t worker = 0; worker < m_workers.size(); ++worker) {
        EventRows& rows = m_workers[worker];
        SliceBatch batch;
        moveFlows(worker, batch);
        for (size_t lane = 0; lane < rows.batch.byTrack.size(); ++lane) {
            if (rows.batch.byTrack[lane].count == 0) continue;
            const Place place = placeOf(rows.lanes[lane], worker);
            const TrackId track = m_places.at(place);
            if (place.kind == TrackKind::gpuStream && rows.lanes[lane].kind == TrackKind::other) {
                moveXlaRows(worker, lane, track, batch);
                continue;
            }
            if (const auto starts = m_starts.find(place.process);
                starts != m_starts.end() && starts->second.size() > 1) {
                moveRestartedRows(worker, lane, place, batch);
                continue;
            }
            batch.take(track, std::move(rows.batch.byTrack[lane]));
        }
        batch.starts = rows.batch.starts;
        batch.memoryOps = std::move(rows.batch.memoryOps);
        m_builder.adopt(std::move(batch), std::move(m_names[worker]));
    }
    std::vector<const ImportNotes*> workerNotes;
    for (EventRows& worker : m_workers)
        workerNotes.push_back(&worker.notes());
    notes.merge(mergedNotes(workerNotes));
    m_builder.adopt(std::move(paired));
}

void ReportAssembly::moveXlaRows(size_t worker, size_t lane, TrackId track, SliceBatch& batch)
{
    EventRows& rows = m_workers[worker];
    rows.batch.byTrack[lane].forEach([&](SliceRow row) {
        const std::string_view name = rows.names.at(row.name);
        --rows.kindCounts[static_cast<size_t>(row.kind)];
        row.kind = name.starts_with("Memcpy")   ? RowKind::memcpy
                   : name.starts_with("Memset") ? RowKind::memset
                                                : RowKind::kernel;
        row.category = row.kind == RowKind::kernel   ? kernelCategory(name)
                       : row.kind == RowKind::memcpy ? copyCategory(memoryOpOfName(name).kind)
                                                     : SliceCategory::memset;
        ++rows.kindCounts[static_cast<size_t>(row.kind)];
        batch.add(track, row);
    });
    rows.batch.byTrack[lane] = {};
}

// Moves the rows of each start of a process to a process of their own.
void ReportAssembly::moveRestartedRows(size_t worker, size_t lane, const Place& place, SliceBatch& batch)
{
    const std::vector<Start>& starts = m_starts.at(place.process);
    std::vector<TrackId> tracks(starts.size());
    m_workers[worker].batch.byTrack[lane].forEach([&](const SliceRow& row) {
        const auto after = std::ranges::upper_bound(starts, row.source.row(), {}, &Start::offset);
        const auto start = static_cast<size_t>(std::max<ptrdiff_t>(after - starts.begin(), 1) - 1);
        if (!tracks[start].isValid()) tracks[start] = restartedTrack(place, start);
        batch.add(tracks[start], row);
    });
    m_workers[worker].batch.byTrack[lane] = {};
}

TrackId ReportAssembly::restartedTrack(const Place& place, size_t start)
{
    if (start == 0) return m_places.at(place);
    constexpr int kPid_bits = 40; // more than pids have
    const uint64_t key = static_cast<uint64_t>(place.process) | uint64_t(start) << kPid_bits;
    TrackKey track;
    track.kind = place.kind;
    track.process = m_builder.process(key, place.process);
    track.thread = m_builder.thread(track.process, place.thread);
    const std::string name =
        std::string(m_starts.at(place.process)[start].name) + " (start " + std::to_string(start + 1) + ")";
    m_builder.report().processes[track.process.value].name = m_builder.intern(name);
    return m_builder.track(track);
}

void ReportAssembly::moveFlows(size_t worker, SliceBatch& batch)
{
    m_workers[worker].flows.forEach([&](const FlowRow& row) {
        if (row.use == FlowUse::launch && m_shared.gpuRowsCorrelate) return;
        batch.addFlow({row.key, row.time_ns, flowTrack(row, worker), row.role, row.bindsNext});
    });
    m_workers[worker].flows = {};
}

// A slice with a bind_id is on its own lane. A flow event identifies only a thread, so the tracks of the
// thread are tried, the most likely ones for the kind of flow first.
TrackId ReportAssembly::flowTrack(const FlowRow& row, size_t worker) const
{
    static constexpr std::array kGeneric{TrackKind::other,     TrackKind::ops,    TrackKind::cudaApi,
                                         TrackKind::gpuStream, TrackKind::python, TrackKind::gpuSync};
    static constexpr std::array kForwardBackward{TrackKind::ops,       TrackKind::other,  TrackKind::cudaApi,
                                                 TrackKind::gpuStream, TrackKind::python, TrackKind::gpuSync};
    static constexpr std::array kLaunch{TrackKind::cudaApi, TrackKind::gpuStream, TrackKind::gpuSync,
                                        TrackKind::ops,     TrackKind::other,     TrackKind::python};
    const EventRows& rows = m_workers[worker];
    const LaneKey& lane = rows.lanes[row.lane];
    if (lane.kind != TrackKind::count) {
        const auto place = m_places.find(placeOf(lane, worker));
        return place != m_places.end() ? place->second : TrackId();
    }
    const auto found =
        m_tracksOfThread.find({m_actors.numberOf(lane.process, rows), m_actors.numberOf(lane.thread, rows)});
    if (found == m_tracksOfThread.end()) return {};
    const auto& order = row.use == FlowUse::generic  ? kGeneric
                        : row.use == FlowUse::launch ? kLaunch
                                                     : kForwardBackward;
    for (const TrackKind kind : order) {
        const auto track = std::ranges::find(found->second, kind, &std::pair<TrackKind, TrackId>::first);
        if (track != found->second.end()) return track->second;
    }
    return {};
}

void ReportAssembly::moveCounters()
{
    using Key = std::tuple<int64_t, std::string, int64_t, bool>;
    std::map<Key, std::vector<std::pair<int64_t, double>>> merged;
    for (EventRows& worker : m_workers) {
        for (CounterSeries& series : worker.counters) {
            const CounterKey& key = series.key;
            auto& samples = merged[{m_actors.numberOf(key.process, worker),
                                    std::string(worker.names.at(key.name)), key.device, key.isBytes}];
            samples.insert(samples.end(), series.samples.begin(), series.samples.end());
        }
        worker.counters = {};
    }
    for (auto& [key, samples] : merged) {
        const auto& [pid, name, device, isBytes] = key;
        CounterTrack track;
        track.name = m_builder.intern(name);
        track.process = processOf(device >= 0 && !isBytes ? gpuOwnerOf(pid) : pid);
        if (device >= 0)
            track.device = m_builder.device(processOf(gpuOwnerOf(pid)),
                                            static_cast<int>(std::min<int64_t>(device, 1'000'000)));
        if (isBytes) track.unit = m_builder.intern("B");
        m_builder.addSamples(m_builder.addCounterTrack(track), std::move(samples));
    }
}

std::vector<PlacedInstant> ReportAssembly::takeMemory()
{
    std::vector<PlacedInstant> out;
    for (size_t worker = 0; worker < m_workers.size(); ++worker) {
        EventRows& rows = m_workers[worker];
        out.reserve(out.size() + rows.memory.size());
        for (const MemoryInstant& instant : rows.memory) {
            const Place place = placeOf(rows.lanes[instant.lane], worker);
            out.push_back({instant, place.process, place.thread});
        }
        rows.memory = {};
    }
    return out;
}

// Metadata only gives names to entities that have rows, so the 16 streams that Kineto always declares do not
// create entities.
void ReportAssembly::nameEntities()
{
    struct Named {
        uint64_t offset;
        MetadataRow::What what;
        Actors actors;
        std::string_view text;
    };
    std::vector<Named> all;
    for (const EventRows& worker : m_workers) {
        for (const MetadataRow& row : worker.metadata) {
            const Actors actors{m_actors.numberOf(row.process, worker),
                                m_actors.numberOf(row.thread, worker)};
            all.push_back({row.offset, row.what, actors, worker.names.at(row.text)});
        }
    }
    std::ranges::sort(all, {}, &Named::offset);
    Report& report = m_builder.report();
    for (const Named& named : all) {
        const StringId text = m_builder.intern(named.text);
        if (named.what == MetadataRow::What::processName) {
            const auto process = m_processes.find(named.actors.first);
            if (process == m_processes.end()) continue;
            Process& known = report.processes[process->second.value];
            const std::string_view part = partOf(process->first);
            known.name =
                part.empty() ? text : m_builder.intern(std::string(part) + " " + std::string(named.text));
            if (const auto host = rayNode(named.text))
                known.identity.host.learn(*host, "process name", Confidence::guessed);
        } else if (named.what == MetadataRow::What::processLabels) {
            nameDevice(named.text);
        } else if (named.what == MetadataRow::What::threadName) {
            const auto thread = m_threads.find(named.actors);
            if (thread != m_threads.end()) report.threads[thread->second.value].name = text;
            const auto tracks = m_tracksOfThread.find(named.actors);
            if (tracks == m_tracksOfThread.end()) continue;
            for (const auto& [kind, track] : tracks->second) {
                if (kind <= TrackKind::gpuAnnotation) m_builder.setTrackName(track, text);
            }
        }
    }
}

// Names a device by Kineto's label of its process, such as "XPU 0". A label like "GPU 0" adds no information
// to the ordinal.
void ReportAssembly::nameDevice(std::string_view label)
{
    static constexpr std::array<std::string_view, 4> kKinds{"XPU ", "HPU ", "MTIA ", "NPU "};
    for (const std::string_view kind : kKinds) {
        const auto ordinal = label.starts_with(kind) ? parseInt(label.substr(kind.size())) : std::nullopt;
        if (!ordinal) continue;
        for (Device& device : m_builder.report().devices) {
            if (device.ordinal == *ordinal) device.name = m_builder.intern(label);
        }
    }
}

void ReportAssembly::countRows()
{
    static constexpr std::array<std::string_view, static_cast<size_t>(PlainCount::count)> kWords{
        "begin",     "end",      "async_begin", "async_end", "async_instant", "flow_start",
        "flow_step", "flow_end", "counter",     "metadata",  "sample",        "unknown_phase"};
    auto& counts = m_builder.report().rowCounts;
    const auto add = [&](std::string_view word, auto&& countOf) {
        uint64_t total = 0;
        for (const EventRows& worker : m_workers)
            total += countOf(worker);
        if (total > 0) counts.emplace_back(word, total);
    };
    for (size_t kind = 0; kind < static_cast<size_t>(RowKind::count); ++kind) {
        add(rowKindName(static_cast<RowKind>(kind)),
            [&](const EventRows& worker) { return worker.kindCounts[kind]; });
    }
    for (size_t what = 0; what < kWords.size(); ++what) {
        add(kWords[what], [&](const EventRows& worker) { return worker.plainCounts[what]; });
    }
}

int64_t ReportAssembly::lastTimestamp() const
{
    int64_t last = m_halves.front().time_ns;
    for (const HalfRow& half : m_halves)
        last = std::max(last, half.time_ns);
    for (const EventRows& worker : m_workers) {
        for (const SliceBatch::Rows& rows : worker.batch.byTrack) {
            rows.forEach([&](const SliceRow& row) { last = std::max(last, row.start_ns + row.duration_ns); });
        }
    }
    return last;
}

} // namespace lockstep
