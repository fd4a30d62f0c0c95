// SPDX-License-Identifier: Apache-2.0
#include "core/readers/chrome_json/event_rows.h"

#include <algorithm>
#include <charconv>

#include "core/base/text.h"
#include "core/readers/chrome_json/ascend_rows.h"
#include "core/readers/chrome_json/key_hash.h"

namespace lockstep {

namespace {

// files from 2023 write "no stream" this way; later files write -1
constexpr int64_t kNoStream2023 = 4294967295;
constexpr int64_t kSyncThread = 1'000'000; // Stream Sync rows have the tid stream + 1000000
constexpr int64_t kHcclStreams = 1;
constexpr uint64_t kUnknownSize = ~uint64_t(0); // larger than any size that tables accept
constexpr uint32_t kFirstWide = 0x8000'0000u;

int64_t streamOfText(std::string_view text)
{
    const size_t digits = text.find_first_of("0123456789"); // form of the tid before 2022: "stream 7"
    return digits == std::string_view::npos ? 0 : parseInt(text.substr(digits)).value_or(0);
}

} // namespace

size_t LaneKeyHash::operator()(const LaneKey& key) const noexcept
{
    // The products are independent of each other, and odd factors preserve all bits.
    const auto part = [](int64_t number, uint64_t factor) { return static_cast<uint64_t>(number) * factor; };
    uint64_t hash = part(key.process.number, 0x9E3779B97F4A7C15ull) +
                    part(key.thread.number, 0xC2B2AE3D27D4EB4Full) + part(key.device, 0x165667B19E3779F9ull) +
                    part(key.stream, 0xD6E8FEB86659FD93ull) + part(key.context, 0xA0761D6478BD642Full);
    hash ^= static_cast<uint64_t>(key.kind) * 4 + key.process.isText * 2 + key.thread.isText;
    return mixed(hash >> 32, hash);
}

uint32_t WideCorrelations::numberOf(uint64_t correlation)
{
    const std::scoped_lock lock(m_mutex);
    const auto next = kFirstWide + static_cast<uint32_t>(m_numbers.size() % (kNoCorrelation - kFirstWide));
    return m_numbers.try_emplace(correlation, next).first->second;
}

void EventRows::add(const RawEvent& event)
{
    switch (event.phase) {
    case 'X':
        return addComplete(event);
    case 's':
    case 't':
    case 'f':
        return addFlow(event);
    case 'i':
    case 'I':
    case 'R': // a mark
    case 'P':
        return addInstant(event);
    case 'B':
    case 'E':
        return addHalf(event);
    case 'b':
    case 'n':
    case 'e':
        return addAsync(event, event.phase);
    case 'S': // the older form of 'b', which did not support nesting
        return addAsync(event, 'b');
    case 'F':
        return addAsync(event, 'e');
    case 'T':
    case 'p':
        return addAsync(event, 'n');
    case 'C':
        return addCounter(event);
    case 'M':
        return addMetadata(event);
    default:
        count(PlainCount::unknownPhase);
        note("phase.unknown", NoteSeverity::dataLoss, "events with a missing or unknown ph: not shown",
             event);
    }
}

void EventRows::note(std::string_view kind, NoteSeverity severity, std::string_view text,
                     const RawEvent& event)
{
    m_notes.add(kind, severity, text, "byte " + std::to_string(event.offset));
}

bool EventRows::hasStart(const RawEvent& event)
{
    if (event.hasStart && isPlausible(event.start_ns, 0)) return true;
    note("row.no_time", NoteSeverity::dataLoss, "events without a readable ts: not shown", event);
    return false;
}

void EventRows::addComplete(const RawEvent& event)
{
    EventClass what = classOf(event.category);
    hasKineto |= what.isKineto;
    const auto ascend = ascendClass(event);
    if (ascend) what = *ascend;
    // torch_npu gives profiler steps the category of ops.
    if (what.kind == RowKind::op && event.name.starts_with("ProfilerStep#"))
        what = classOf("user_annotation");
    ++kindCounts[static_cast<size_t>(what.kind)];
    if (!hasStart(event)) return;
    SliceRow row;
    row.start_ns = event.start_ns;
    row.duration_ns = event.duration_ns;
    row.source = SourceRow::of(0, event.offset);
    row.kind = what.kind;
    row.category = what.category;
    if (!event.hasDuration || event.duration_ns < 0) {
        const bool isNegative = event.hasDuration;
        note(isNegative ? "row.negative_duration" : "row.no_duration", NoteSeverity::warning,
             isNegative ? "negative durations: treated as 0"
                        : "slices without a readable dur: shown with duration 0",
             event);
        row.duration_ns = 0;
        row.flags = sliceFlag::kRepaired;
    } else if (!isPlausible(row.start_ns, row.duration_ns)) {
        note("row.no_time", NoteSeverity::dataLoss, "events without a readable ts: not shown", event);
        return;
    }
    row.name = names.intern(event.name);
    if (what.kind == RowKind::kernel && !ascend) row.category = kernelCategoryOf(row.name);
    if (what.kind == RowKind::memcpy || what.kind == RowKind::memset) addMemoryOp(event, row);
    if (event.args.correlation != 0) {
        row.correlation = correlationOf(event);
        if (isGpuWork(what.kind)) m_shared->gpuRowsCorrelate.store(true, std::memory_order_relaxed);
    }
    if (!ascend) setFacts(event, row); // Ascend's correlation IDs are those of other arguments
    if (ascend && event.args.connection != 0 && event.args.connection < kFirstWide)
        row.correlation = static_cast<uint32_t>(event.args.connection);
    const bool isRecord = event.name == kRecordOfComms;
    if (isRecord || row.category == SliceCategory::communication) addCollective(event, row);
    const uint32_t lane = ascend ? ascendLane(event, what) : laneOf(event, what);
    batch.add(TrackId(lane), row);
    if (!event.bindId.empty()) addBoundFlow(event, lane);
}

// Before 2021, the External id of a GPU row was its correlation ID, which does not identify an op.
void EventRows::addCollective(const RawEvent& event, const SliceRow& row)
{
    CollectiveRow out;
    out.source = row.source;
    out.isRecord = event.name == kRecordOfComms;
    const auto id = parseInt(event.args.externalId).value_or(0);
    const bool isOwn = out.isRecord || static_cast<uint64_t>(id) != event.args.correlation;
    if (id > 0 && isOwn) out.externalId = static_cast<uint64_t>(id);
    const bool isHccl = event.category.empty() && event.name.starts_with("hcom_");
    if (isHccl) out.op = ascendCollective(event, names);
    if (event.collective != nullptr) out.op = event.collective->op(names);
    if (out.externalId != 0 || event.collective != nullptr || isHccl) collectives.push_back(out);
}

void EventRows::addMemoryOp(const RawEvent& event, SliceRow& row)
{
    const auto [known, isNew] = m_memoryOps.try_emplace(row.name.value);
    if (isNew) known->second = memoryOpOfName(event.name);
    MemoryOp op = known->second;
    if (row.kind == RowKind::memcpy) row.category = copyCategory(op.kind);
    if (!event.args.hasSize && op.kind == CopyKind::unknown) return;
    op.size_bytes = event.args.hasSize ? event.args.size_bytes : kUnknownSize;
    batch.addMemoryOp(row.source, op);
}

void EventRows::setFacts(const RawEvent& event, SliceRow& row)
{
    if (event.args.correlation == 0 && event.args.facts.empty()) return;
    if (event.args.correlation < kFirstWide) {
        row.setFactSet(m_factNumbers.number(event.args.facts));
        return;
    }
    FactList facts = event.args.facts;
    facts.set(RowFact::correlation, static_cast<int64_t>(event.args.correlation));
    row.setFactSet(m_factNumbers.number(facts));
}

void EventRows::addInstant(const RawEvent& event)
{
    EventClass what = classOf(event.category);
    what.kind = what.kind == RowKind::memoryEvent ? what.kind : RowKind::instant;
    if (what.isOnGpu()) what.track = TrackKind::other;
    if (event.phase == 'P') {
        count(PlainCount::sample);
    } else {
        ++kindCounts[static_cast<size_t>(what.kind)];
    }
    if (!hasStart(event)) return;
    SliceRow row;
    row.start_ns = event.start_ns;
    row.source = SourceRow::of(0, event.offset);
    row.name = names.intern(event.name);
    row.kind = what.kind;
    row.category = what.category;
    row.flags = sliceFlag::kInstant;
    const uint32_t lane = laneOf(event, what);
    batch.add(TrackId(lane), row);
    if (what.kind == RowKind::memoryEvent) addMemorySamples(event, lane);
}

void EventRows::addMemorySamples(const RawEvent& event, uint32_t lane)
{
    const EventArguments& args = event.args;
    const int64_t device = memoryDeviceOf(args);
    if (const auto instant = memoryInstantOf(event, lane)) memory.push_back(*instant);
    const Actor process = actor(event.pid);
    const auto sample = [&](bool has, std::string_view name, int64_t bytes) {
        // Counters that do not belong to a GPU get a label, because next to GPU lanes they would look like
        // GPU counters.
        const std::string label = (device < 0 ? "CPU " : "") + std::string(name);
        const CounterKey key{process, names.intern(label), device, true};
        if (has) samplesOf(key).emplace_back(event.start_ns, static_cast<double>(bytes));
    };
    sample(args.hasAllocated, "Total Allocated", args.allocated_bytes);
    sample(args.hasReserved, "Total Reserved", args.reserved_bytes);
}

void EventRows::addHalf(const RawEvent& event)
{
    count(event.phase == 'B' ? PlainCount::begin : PlainCount::end);
    if (!hasStart(event)) return;
    const EventClass what = classOf(event.category);
    HalfRow half;
    half.time_ns = event.start_ns;
    half.source = SourceRow::of(0, event.offset);
    half.name = names.intern(event.name);
    half.thread = threadLane(event);
    half.lane = event.phase == 'B' ? laneOf(event, what) : half.thread;
    half.kind = what.kind;
    half.category = what.category;
    half.phase = event.phase;
    halves.push_back(half);
    if (event.phase == 'B' && !event.bindId.empty()) addBoundFlow(event, half.lane);
}

// `phase` is b, e or n, according to the event's own phase. IDs are local to their process, unless id2 marks
// them as global.
void EventRows::addAsync(const RawEvent& event, char phase)
{
    count(phase == 'b'   ? PlainCount::asyncBegin
          : phase == 'e' ? PlainCount::asyncEnd
                         : PlainCount::asyncInstant);
    if (!hasStart(event) || addNcclPlugin(event, phase)) return;
    HalfRow half;
    half.time_ns = event.start_ns;
    half.source = SourceRow::of(0, event.offset);
    const bool isGlobal = event.id.starts_with('{') && event.id.find("\"global\"") != std::string_view::npos;
    half.key = hashOf({event.category, event.id, event.scope});
    if (!isGlobal)
        half.key = mixed(half.key, event.pid.isText ? hashOf({event.pid.text})
                                                    : static_cast<uint64_t>(event.pid.number));
    half.name = names.intern(event.name);
    half.thread = threadLane(event);
    half.lane = lane(
        {TrackKind::other, actor(event.pid), {}, -1, 1 + int64_t(names.intern(event.category).value), 0});
    half.kind = RowKind::async;
    half.phase = phase;
    halves.push_back(half);
}

static uint64_t numberIn(std::span<const RawArgument> list, std::string_view key, uint64_t absent)
{
    const auto found = std::ranges::find(list, key, &RawArgument::key);
    if (found == list.end()) return absent;
    uint64_t number = 0;
    const char* const end = found->value.data() + found->value.size();
    const auto [stop, failed] = std::from_chars(found->value.data(), end, number);
    return failed == std::errc() && stop == end ? number : absent;
}

// Records events of NCCL's profiler plugin. Returns true for kernel channels, which become kernels instead of
// async slices (nccl_plugin.h).
bool EventRows::addNcclPlugin(const RawEvent& event, char phase)
{
    const bool isPair = event.category == "P2P";
    const bool isChannel = event.category == "GPU" && event.name == "KernelCh";
    if ((!isPair && !isChannel && event.category != "COLL") || phase == 'n') return false;
    NcclPluginRow row;
    row.offset = event.offset;
    row.time_ns = event.start_ns;
    row.process = actor(event.pid);
    row.isPointToPoint = isPair;
    row.what = isChannel ? NcclPluginRow::What::channel
                         : (phase == 'b' ? NcclPluginRow::What::begin : NcclPluginRow::What::end);
    if (phase == 'b') {
        row.function = names.intern(event.name);
        row.communicator = numberIn(event.list, "CommHash", 0);
        row.sequence = numberIn(event.list, "SeqNum", CollectiveOp::kAbsentCount);
        row.count = numberIn(event.list, "Count", CollectiveOp::kAbsentCount);
        row.rank = static_cast<uint32_t>(
            std::min<uint64_t>(numberIn(event.list, "Rank", CollectiveOp::kAbsent), CollectiveOp::kAbsent));
        row.start_ns = numberIn(event.list, "StartGpuClk", 0);
        row.stop_ns = numberIn(event.list, "StopGpuClk", 0);
        const auto dataType = std::ranges::find(event.list, "Datatype", &RawArgument::key);
        row.dataType = names.intern(dataType != event.list.end() ? dataType->value : std::string_view());
        if (!isChannel && row.communicator == 0) return false; // the event comes from another writer
    }
    if (!isChannel || phase == 'b') ncclPlugin.push_back(row);
    return isChannel;
}

void EventRows::addFlow(const RawEvent& event)
{
    count(event.phase == 's'   ? PlainCount::flowStart
          : event.phase == 't' ? PlainCount::flowStep
                               : PlainCount::flowEnd);
    // Kineto's names for launch flows: since October 2022, since August 2021, and before.
    const bool isLaunch = event.category == "ac2g" || event.category.starts_with("async_cpu_to_gpu") ||
                          event.category == "async_gpu" ||
                          (event.category == "async" && event.name == "launch");
    if (isLaunch && m_shared->gpuRowsCorrelate.load(std::memory_order_relaxed)) return;
    if (!hasStart(event)) return;
    FlowRow row;
    row.key = hashOf({event.category, event.name, event.id});
    row.time_ns = event.start_ns;
    row.lane = threadLane(event);
    const bool isForwardBackward = event.category == "fwdbwd" || event.category == "forward_backward";
    row.use = isLaunch ? FlowUse::launch : isForwardBackward ? FlowUse::forwardBackward : FlowUse::generic;
    row.role = event.phase == 's' ? FlowRole::start : event.phase == 't' ? FlowRole::step : FlowRole::end;
    row.bindsNext = event.phase == 'f' && !event.bindsEnclosing;
    flows.add(row, m_file);
}

// Version 2 of flows: a bind_id with flow_out, flow_in or both is a flow point at the begin of the slice
// itself.
void EventRows::addBoundFlow(const RawEvent& event, uint32_t lane)
{
    if (!event.flowsIn && !event.flowsOut) {
        note("flow.no_direction", NoteSeverity::warning,
             "slices with a bind_id but neither flow_in nor flow_out: no arrow", event);
        return;
    }
    const FlowRole role = !event.flowsIn ? FlowRole::start : event.flowsOut ? FlowRole::step : FlowRole::end;
    count(role == FlowRole::start  ? PlainCount::flowStart
          : role == FlowRole::step ? PlainCount::flowStep
                                   : PlainCount::flowEnd);
    flows.add({hashOf({"bind_id", event.bindId}), event.start_ns, lane, FlowUse::generic, role, false},
              m_file);
}

// Returns n for the process "GPU n Counters", which PyTorch uses for the counters of GPU n. Returns -1 if the
// pid is a process.
static int64_t deviceOfCounters(const ActorText& pid)
{
    constexpr std::string_view kBegin = "GPU ", kEnd = " Counters";
    std::string_view text = pid.text;
    if (!pid.isText || !text.starts_with(kBegin) || !text.ends_with(kEnd)) return -1;
    text.remove_prefix(kBegin.size());
    text.remove_suffix(std::min(kEnd.size(), text.size()));
    const auto device = parseInt(text);
    return device && *device >= 0 ? *device : -1;
}

void EventRows::addCounter(const RawEvent& event)
{
    count(PlainCount::counter);
    if (!hasStart(event)) return;
    const int64_t device = deviceOfCounters(event.pid);
    bool any = false;
    for (const RawArgument& entry : event.list) {
        const auto value = parseDouble(entry.value);
        if (!value) {
            note("counter.no_number", NoteSeverity::warning,
                 "counter values that are not finite numbers: omitted", event);
            continue;
        }
        std::string name(event.name);
        if (!event.id.empty()) name += " " + std::string(event.id);
        const bool isSole =
            event.list.size() == 1 && (entry.key.empty() || entry.key == "value" || entry.key == event.name);
        if (!isSole) name += " [" + std::string(entry.key) + "]";
        const Actor process = device < 0 ? actor(event.pid) : Actor();
        samplesOf({process, names.intern(name), device, false}).emplace_back(event.start_ns, *value);
        any = true;
    }
    if (!any && event.list.empty()) {
        note("counter.empty", NoteSeverity::warning, "counter events without values: not shown", event);
    }
}

void EventRows::addMetadata(const RawEvent& event)
{
    count(PlainCount::metadata);
    const auto addName = [&](MetadataRow::What what, std::string_view key) {
        const auto found = std::ranges::find(event.list, key, &RawArgument::key);
        if (found == event.list.end()) return;
        std::string_view text = found->value;
        while (!text.empty() && text.back() == ' ')
            text.remove_suffix(1); // Kineto writes "stream 7 "
        metadata.push_back({what, actor(event.pid), actor(event.tid), names.intern(text), event.offset});
    };
    if (event.name == "process_name") addName(MetadataRow::What::processName, "name");
    if (event.name == "process_labels") addName(MetadataRow::What::processLabels, "labels");
    if (event.name == "thread_name") addName(MetadataRow::What::threadName, "name");
}

EventClass EventRows::classOf(std::string_view category)
{
    if (category.empty()) return {};
    const size_t slot = (category.size() * 7 + static_cast<unsigned char>(category.back()) +
                         static_cast<unsigned char>(category.front())) %
                        m_classes.size();
    CachedClass& cached = m_classes[slot];
    if (cached.category != category) cached = {std::string(category), classOfCategory(category)};
    return cached.what;
}

Actor EventRows::actor(const ActorText& text)
{
    if (!text.isText) return {text.number, false};
    return {int64_t(names.intern(text.text).value), true};
}

uint32_t EventRows::lane(const LaneKey& key)
{
    uint32_t& recent = m_recentLanes[LaneKeyHash()(key) % m_recentLanes.size()];
    if (recent != 0 && lanes[recent - 1] == key) return recent - 1;
    const auto [entry, isNew] = m_laneNumbers.try_emplace(key, static_cast<uint32_t>(lanes.size()));
    if (isNew) lanes.push_back(key);
    recent = entry->second + 1;
    return entry->second;
}

uint32_t EventRows::threadLane(const RawEvent& event)
{
    return lane({TrackKind::count, actor(event.pid), actor(event.tid), -1, 0, 0});
}

// GPU rows are recognized by category, never by args.stream, because ROCm's API rows and Triton's ops also
// have streams.
uint32_t EventRows::laneOf(const RawEvent& event, const EventClass& what)
{
    LaneKey key{what.track, actor(event.pid), actor(event.tid), -1, 0, 0};
    if (!what.isOnGpu()) return lane(key);
    const EventArguments& args = event.args;
    const int64_t threadStream = event.tid.isText ? streamOfText(event.tid.text) : event.tid.number;
    key.device = args.hasDevice     ? args.device
                 : event.pid.isText ? streamOfText(event.pid.text)
                                    : event.pid.number;
    key.stream = args.hasStream                ? args.stream
                 : threadStream >= kSyncThread ? threadStream - kSyncThread
                                               : threadStream;
    if (key.stream == kNoStream2023) key.stream = -1;
    key.context = args.context;
    return lane(key);
}

// The tid is the stream. Lanes for communications are numbered separately from the streams on which they run.
uint32_t EventRows::ascendLane(const RawEvent& event, const EventClass& what)
{
    LaneKey key{what.track, actor(event.pid), actor(event.tid), -1, 0, 0};
    if (!what.isOnGpu()) return lane(key);
    key.device = ascendDevice(event);
    key.stream = event.tid.isText ? streamOfText(event.tid.text) : event.tid.number;
    key.context = what.category == SliceCategory::communication ? kHcclStreams : 0;
    return lane(key);
}

uint32_t EventRows::correlationOf(const RawEvent& event)
{
    const uint64_t id = event.args.correlation;
    return id < kFirstWide ? static_cast<uint32_t>(id) : m_shared->wide.numberOf(id);
}

SliceCategory EventRows::kernelCategoryOf(StringId name)
{
    if (name.value >= m_kernelCategories.size()) m_kernelCategories.resize(name.value + 256);
    uint8_t& known = m_kernelCategories[name.value];
    if (known == 0) known = static_cast<uint8_t>(1 + static_cast<int>(kernelCategory(names.at(name))));
    return static_cast<SliceCategory>(known - 1);
}

std::vector<std::pair<int64_t, double>>& EventRows::samplesOf(const CounterKey& key)
{
    const auto [entry, isNew] = m_counterNumbers.try_emplace(key, static_cast<uint32_t>(counters.size()));
    if (isNew) counters.push_back({key, {}});
    return counters[entry->second].samples;
}

} // namespace lockstep
