// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/memory_tables/memory_selection.h"

#include <algorithm>

#include "core/analysis/empty_table.h"
#include "core/analysis/summary.h"
#include "core/memory/allocator_state.h"

namespace lockstep {

namespace {

// Device -1 stands for host memory.
bool isDeviceInScope(const Scope& scope, int32_t device)
{
    if (scope.devices.empty()) return true;
    return std::ranges::any_of(scope.devices, [&](const NumberRange& range) {
        return range.first <= device && device <= range.last;
    });
}

ProcessId processOf(const Report& report)
{
    return report.processes.empty() ? ProcessId() : ProcessId(0u);
}

// Returns the process that owns the memory with this device number.
ProcessId processOf(const Report& report, int32_t device)
{
    const ProcessId owner = report.memory->subjectOf(device).process;
    return owner.isValid() ? owner : processOf(report);
}

// The memory of one process in one report.
struct ProcessMemory {
    GroupKey group;
    ReportKey key;
    ProcessId process;
};

// Returns the processes in scope, sorted by group, then in the order in which reports were opened.
std::vector<ProcessMemory> memoryInScope(const AnalysisRequest& request)
{
    std::vector<ProcessMemory> out;
    for (const ReportKey key : request.workspace.keys()) {
        const Report& report = request.workspace.report(key);
        if (!report.memory) continue;
        std::vector<ProcessId> processes{processOf(report)};
        if (!report.memory->isOfAllocator()) processes.clear();
        for (const int32_t device : report.memory->devices) {
            const ProcessId process = processOf(report, device);
            if (std::ranges::find(processes, process) == processes.end()) processes.push_back(process);
        }
        for (const ProcessId process : processes) {
            if (!isInScope(request.scope, request.workspace, key, process)) continue;
            out.push_back({groupKeyOf(request.scope.by, request.workspace, key, process), key, process});
        }
    }
    std::ranges::stable_sort(out, {}, &ProcessMemory::group);
    return out;
}

// Reuses the replay that was created for the lanes. If the scene cannot be drawn, there is none, so the
// replay is done here.
Result<std::shared_ptr<const AllocatorReplay>> replayOf(const Scene& scene, ReportKey key,
                                                        const Progress& progress)
{
    if (scene.lods.has(key) && scene.lods[key] != nullptr && scene.lods[key]->memory() != nullptr) {
        const auto& memory = scene.lods[key]->sharedMemory();
        return std::shared_ptr<const AllocatorReplay>(memory, &memory->replay);
    }
    return std::make_shared<const AllocatorReplay>(
        LOCKSTEP_TRY(replayAllocator(scene.shown.report(key), progress)));
}

} // namespace

std::optional<int64_t> MemoryPart::alignedTime(const Alignment& alignment, MemoryMoment moment) const
{
    const auto time_ns = device->timeOf(*report->memory, moment);
    if (!time_ns) return std::nullopt;
    return alignment.map(key).alignedFromTrace(TraceTime{*time_ns}).ns;
}

MemorySelection::MemorySelection(const AnalysisRequest& request, Table& table, bool filtersStacks)
    : m_request(request), m_table(table), m_filtersStacks(filtersStacks)
{
    table.headerStyle = HeaderStyle::identifier;
    addGroupColumn(table, request.scope.by);
    if (request.scope.by != GroupBy::rank) {
        m_rank = table.addColumn(
            {"rank", "", ColumnType::integer, 0, "rank in the job; empty if no file records it"});
    }
    if (request.scope.by != GroupBy::report)
        m_report = table.addColumn(
            {"report", "", ColumnType::text, 0, "path of the snapshot", ColumnMeaning::report});
    m_device = table.addColumn(
        {"device", "", ColumnType::integer, 0, "device number in the process; -1 is pinned host memory"});
    const auto isOfOthers = [&](ReportKey key) {
        const auto& memory = request.workspace.report(key).memory;
        return memory != nullptr && !memory->isOfAllocator();
    };
    if (std::ranges::none_of(request.workspace.keys(), isOfOthers)) return;
    m_memory = table.addColumn({"memory", "", ColumnType::text, 0, "kind of memory"});
    m_recorder = table.addColumn(
        {"recorded_by", "", ColumnType::text, 0, "source of the rows; values not in the source are empty"});
}

Status MemorySelection::forEach(const Progress& progress,
                                const std::function<Status(const MemoryPart&)>& visit)
{
    std::vector<ReportKey> described;
    for (const auto& [group, key, process] : memoryInScope(m_request)) {
        const std::shared_ptr<const Report>& report = m_request.workspace.shared(key);
        const auto replay = LOCKSTEP_TRY(replayOf(m_request.scene, key, progress));
        if (std::ranges::find(described, key) == described.end()) m_notes.merge(replay->notes);
        described.push_back(key);
        for (const DeviceReplay& device : replay->devices) {
            if (processOf(*report, device.device) != process ||
                !isDeviceInScope(m_request.scope, report->memory->subjectOf(device.device).ordinal))
                continue;
            MemoryPart part{key, group, report, replay, &device, 0, device.lastMoment()};
            if (const auto window = windowOf(m_request.scope, m_request.alignment, key)) {
                if (report->memory->entries.time_ns.empty()) {
                    ++m_untimed;
                } else {
                    part.first = device.momentAt(*report->memory, window->begin.ns);
                    part.last = std::max(part.first, device.momentAt(*report->memory, window->end.ns - 1));
                }
            }
            ++m_parts;
            LOCKSTEP_TRY(visit(part));
        }
    }
    return {};
}

void MemorySelection::addRow(const MemoryPart& part)
{
    m_table.addRow();
    setGroup(m_table, m_request.scope.by, part.group);
    const MemorySubject subject = part.subject();
    const Identity& identity =
        m_request.workspace.identity(part.key, processOf(*part.report, part.device->device));
    if (m_rank && identity.rank.isKnown()) m_table.setNumber(*m_rank, *identity.rank.value);
    if (m_report) m_table.setText(*m_report, part.report->provenance.path.string());
    m_table.setNumber(m_device, subject.ordinal);
    if (!m_memory) return;
    m_table.setText(*m_memory, memorySubjectName(subject));
    m_table.setText(*m_recorder, std::string(part.recording().name));
}

bool MemorySelection::isInScope(const MemoryPart& part, MemoryStackId stack) const
{
    if (!m_request.scope.name) return true;
    const MemorySnapshot& snapshot = *part.report->memory;
    const auto matches = [&](MemoryFrameId id) {
        const MemoryFrame& frame = snapshot.frames[id.value];
        return m_request.scope.name->matches(part.report->strings.at(frame.function)) ||
               m_request.scope.name->matches(part.report->strings.at(frame.file));
    };
    return std::ranges::any_of(snapshot.stack(stack), matches);
}

std::string MemorySelection::stackName(const MemoryPart& part, MemoryStackId stack)
{
    constexpr size_t kFrames = 3;
    return stackText(*part.report->memory, part.report->strings, stack, kFrames);
}

void MemorySelection::describe(std::string rows)
{
    if (m_parts > 0) {
        m_table.source.whenEmpty = noneInScopeText("memory histories", m_parts) + " has " + rows +
                                   (m_request.scope.name ? " that match the name filter." : ".");
    }
    m_table.source.rows = std::move(rows);
    auto& rules = m_table.source.rules;
    rules.push_back("levels cover all entries of the replayed history, counted as "
                    "torch.cuda.memory_stats does: active and requested until free_completed, allocated "
                    "until free_requested");
    if (m_request.scope.time)
        rules.push_back("points within the time range count, as do blocks alive when it begins");
    if (m_untimed > 0) {
        rules.push_back(std::to_string(m_untimed) +
                        " devices have no times: the time range does not apply to them, and their whole "
                        "history counts");
    }
    if (m_request.scope.name && !m_filtersStacks)
        rules.push_back("the name filter does not apply: levels cover all stacks");
    if (!m_request.scope.streams.empty())
        rules.push_back("the stream filter does not apply: the allocator's memory is counted across streams");
    for (const ImportNote& note : m_notes.all()) {
        rules.push_back(std::to_string(note.count) + " x " + note.text +
                        (note.example.empty() ? "" : " (" + note.example + ")"));
    }
}

} // namespace lockstep
