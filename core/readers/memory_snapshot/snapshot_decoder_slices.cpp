// SPDX-License-Identifier: Apache-2.0
// Converts a snapshot to slices, facts and counts.
#include <algorithm>
#include <set>

#include "core/base/text.h"
#include "core/readers/memory_snapshot/snapshot_counters.h"
#include "core/readers/memory_snapshot/snapshot_decoder.h"

namespace lockstep {

namespace {

constexpr int kSettingsDepth = 4;
constexpr size_t kMaxFacts = 200;
// in 1973; smaller timestamps are not Unix times
constexpr int64_t kEarliestEpoch_ns = 100'000'000'000'000'000;

constexpr std::array<std::string_view, static_cast<size_t>(MemoryAction::count)> kActionNames{
    "alloc",        "free_requested", "free_completed", "segment_alloc",
    "segment_free", "segment_map",    "segment_unmap",  "snapshot",
    "oom",          "annotate",       "other"};

} // namespace

DeviceId SnapshotDecoder::deviceOf(int32_t device)
{
    return device == kHostMemory ? DeviceId() : m_builder.device(m_process, device);
}

void SnapshotDecoder::readAnnotations(ValueId list)
{
    std::map<int32_t, std::vector<OpenAnnotation>> open;
    uint64_t row = 0;
    m_values.forEachItem(list, [&](ValueId dict) {
        if (isFirstVisit(dict, "annotation")) readAnnotation(dict, row, open);
        ++row;
    });
    m_annotations = row;
    for (const auto& [device, rest] : open) {
        for (const OpenAnnotation& opened : rest) {
            addAnnotation(device, opened, std::max(m_lastTime_ns, opened.start_ns), sliceFlag::kOpenEnd);
        }
    }
}

void SnapshotDecoder::readAnnotation(ValueId dict, uint64_t row,
                                     std::map<int32_t, std::vector<OpenAnnotation>>& open)
{
    std::string name;
    std::string_view stage;
    int64_t device = 0, time_ns = 0;
    bool hasTime = false;
    m_values.forEachEntry(dict, [&](std::string_view key, ValueId value) {
        if (key == "name") name = repairedUtf8(m_values.asText(value).value_or(""));
        if (key == "stage") stage = m_values.asText(value).value_or("");
        if (key == "device") device = m_values.asInteger(value).value_or(0);
        if (key == "time_us") {
            time_ns = timestamp(value);
            hasTime = true;
        }
    });
    if (!hasTime) return skip("annotation", "has no time_us");
    auto& stack = open[static_cast<int32_t>(std::clamp<int64_t>(device, kHostMemory, 1 << 20))];
    if (stage == "START") {
        stack.push_back({name, time_ns, row});
        return;
    }
    const auto opened =
        std::find_if(stack.rbegin(), stack.rend(), [&](const auto& a) { return a.name == name; });
    if (opened == stack.rend()) return skip("annotation", "has an end but no start");
    addAnnotation(static_cast<int32_t>(device), *opened, std::max(time_ns, opened->start_ns), 0);
    stack.erase(std::next(opened).base());
}

void SnapshotDecoder::addAnnotation(int32_t device, const OpenAnnotation& opened, int64_t end_ns,
                                    uint8_t flags)
{
    const TrackId track = m_builder.track({TrackKind::memoryEvents, m_process, {}, deviceOf(device), 1, 0});
    m_builder.setTrackName(track, m_builder.intern("user annotations"));
    SliceRow row;
    row.start_ns = opened.start_ns;
    row.duration_ns = end_ns - opened.start_ns;
    row.source = SourceRow::of(kMemoryAnnotationSource, opened.row);
    row.name = m_builder.intern(opened.name);
    row.kind = RowKind::userAnnotation;
    row.category = SliceCategory::op;
    row.flags = flags;
    if (isPlausible(row.start_ns, row.duration_ns)) m_batch.add(track, row);
}

void SnapshotDecoder::readSettings(ValueId dict, const std::string& prefix, int depth)
{
    auto& facts = m_builder.report().facts;
    m_values.forEachEntry(dict, [&](std::string_view key, ValueId value) {
        const std::string name = prefix + "." + repairedUtf8(key.substr(0, 80));
        if (facts.size() >= kMaxFacts) return;
        if (m_values.kind(value) == ValueKind::dict) {
            if (depth < kSettingsDepth && isFirstVisit(value, "setting"))
                readSettings(value, name, depth + 1);
        } else if (const auto text = m_values.asText(value)) {
            facts.emplace_back(name, repairedUtf8(*text));
        } else if (m_values.kind(value) == ValueKind::boolean) {
            facts.emplace_back(name, value == ValueTree::kTrue ? "true" : "false");
        } else if (const auto whole = m_values.asInteger(value)) {
            facts.emplace_back(name, std::to_string(*whole));
        } else if (const auto real = m_values.asReal(value)) {
            facts.emplace_back(name, std::to_string(*real));
        }
    });
}

// Pads columns to full length if at least one row has a value, or leaves them empty.
void SnapshotDecoder::padColumns()
{
    MemoryEntryTable& entries = m_out->entries;
    const size_t rows = entries.size();
    const auto pad = [rows](auto& column, const auto& absent) {
        if (!column.empty()) column.resize(rows, absent);
    };
    pad(entries.forwardStack, MemoryStackId());
    pad(entries.userMetadata, StringId(0u));
    pad(entries.compileContext, StringId(0u));
    pad(entries.pool, std::array<uint64_t, 2>{});
    if (m_untimed == rows) {
        entries.time_ns.clear();
        if (rows > 0) {
            m_builder.report().notes.add("memory.no_time", NoteSeverity::warning,
                                         "the history has no time_us (NPU and older builds): shown in order "
                                         "instead of on the time axis",
                                         "", rows);
        }
    } else if (m_untimed > 0) {
        m_builder.report().notes.add("memory.no_time", NoteSeverity::warning,
                                     "entries without time_us: the time of the previous entry is used", "",
                                     m_untimed);
    }
}

void SnapshotDecoder::findDevices()
{
    std::set<int32_t> devices(m_out->segments.device.begin(), m_out->segments.device.end());
    devices.insert(m_out->entries.device.begin(), m_out->entries.device.end());
    m_out->devices.assign(devices.begin(), devices.end());
    for (const int32_t device : m_out->devices)
        deviceOf(device);
}

void SnapshotDecoder::addInstants()
{
    const MemoryEntryTable& entries = m_out->entries;
    if (entries.time_ns.empty()) return;
    for (size_t i = 0; i < entries.size(); ++i) {
        const bool isOom = entries.action[i] == MemoryAction::outOfMemory;
        if (!isOom && entries.action[i] != MemoryAction::snapshot) continue;
        const TrackId track =
            m_builder.track({TrackKind::memoryEvents, m_process, {}, deviceOf(entries.device[i]), 0, 0});
        m_builder.setTrackName(track, m_builder.intern("allocator"));
        SliceRow row;
        row.start_ns = entries.time_ns[i];
        row.source = SourceRow::of(kMemoryEntrySource, i);
        row.name = m_builder.intern(
            isOom ? "out of memory: " + byteText(static_cast<int64_t>(entries.size_bytes[i])) + " requested"
                  : "snapshot");
        row.kind = RowKind::memoryEvent;
        row.flags = sliceFlag::kInstant;
        m_batch.add(track, row);
    }
}

Status SnapshotDecoder::finish()
{
    padColumns();
    findDevices();
    LOCKSTEP_TRY(m_progress.check());
    addInstants();
    addMemoryTotals(*m_out, m_builder.report().facts);
    LOCKSTEP_TRY(addMemoryCounters(*m_out, m_process, m_builder, m_progress));
    Report& report = m_builder.report();
    report.sourceTables = {"device_traces", "external_annotations"};
    report.rowCounts.emplace_back("segment", m_out->segments.size());
    report.rowCounts.emplace_back("block", m_out->blocks.size());
    std::array<uint64_t, kActionNames.size()> perAction{};
    for (const MemoryAction action : m_out->entries.action)
        ++perAction[static_cast<size_t>(action)];
    for (size_t i = 0; i < perAction.size(); ++i) {
        if (perAction[i] > 0) report.rowCounts.emplace_back(kActionNames[i], perAction[i]);
    }
    if (m_annotations > 0) report.rowCounts.emplace_back("annotation", m_annotations);
    report.clock.name = "unknown";
    const auto& times_ns = m_out->entries.time_ns;
    if (!times_ns.empty() && times_ns.front() >= kEarliestEpoch_ns) {
        report.clock = {"Unix epoch (time_us)", 0, 1000, std::nullopt, "device_traces.time_us"};
    }
    m_builder.adopt(std::move(m_batch));
    report.memory = std::move(m_out);
    return {};
}

} // namespace lockstep
