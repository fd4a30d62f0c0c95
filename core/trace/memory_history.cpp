// SPDX-License-Identifier: Apache-2.0
#include "core/trace/memory_history.h"

#include <algorithm>
#include <tuple>

#include "core/base/text.h"

namespace lockstep {

namespace {

// Device numbers of additional processes start at multiples of this value.
constexpr int32_t kNumbersOfProcess = 10'000;
constexpr int32_t kMaxOrdinals = 1'000;

// Returns a negative number for memory that is not plain GPU memory: kHostMemory or one of the other kinds.
int32_t numberInProcess(const MemorySubject& subject)
{
    if (subject.kind == MemoryKind::device)
        return subject.ordinal < 0 ? kMaxOrdinals : std::min(subject.ordinal, kMaxOrdinals - 1);
    if (subject.kind == MemoryKind::pinned && subject.ordinal < 0) return kHostMemory;
    const int32_t ordinal = std::clamp(subject.ordinal, -1, kMaxOrdinals - 2) + 1;
    return -2 - static_cast<int32_t>(subject.kind) * kMaxOrdinals - ordinal;
}

// Splits a Python frame such as "torch/nn/modules/module.py(1518): _call_impl".
bool splitPython(std::string_view name, std::string_view& file, int32_t& line, std::string_view& function)
{
    const size_t colon = name.find("): ");
    const size_t open = colon == std::string_view::npos ? colon : name.rfind('(', colon);
    if (open == std::string_view::npos || open == 0) return false;
    const auto number = parseInt(name.substr(open + 1, colon - open - 1));
    if (!number || *number < 0 || *number > INT32_MAX) return false;
    file = name.substr(0, open);
    line = static_cast<int32_t>(*number);
    function = name.substr(colon + 3);
    return true;
}

} // namespace

size_t MemoryHistory::StackHash::operator()(const std::vector<MemoryFrameId>& frames) const noexcept
{
    uint64_t hash = frames.size();
    for (const MemoryFrameId frame : frames) {
        hash = (hash ^ frame.value) * 0x9E3779B97F4A7C15ull;
        hash ^= hash >> 29;
    }
    return hash;
}

MemoryHistory::MemoryHistory(Report& report) : m_report(report), m_out(std::make_shared<MemorySnapshot>()) {}

uint32_t MemoryHistory::subject(const MemorySubject& subject)
{
    const auto found = std::ranges::find(m_subjects, subject);
    if (found != m_subjects.end() || m_subjects.size() == kMaxSubjects)
        return static_cast<uint32_t>(found - m_subjects.begin());
    m_subjects.push_back(subject);
    return static_cast<uint32_t>(m_subjects.size() - 1);
}

void MemoryHistory::add(const MemoryRow& row)
{
    if (row.subject < m_subjects.size()) return m_rows.push_back(row);
    m_report.notes.add("memory.too_many_devices", NoteSeverity::dataLoss,
                       "memory of more devices than the limit: rows of the other devices are omitted",
                       std::to_string(kMaxSubjects) + " are shown");
}

MemoryFrameId MemoryHistory::frame(StringId name)
{
    const auto [entry, isNew] = m_frames.try_emplace(name);
    if (!isNew) return entry->second;
    MemoryFrame frame{name, StringId(0u), 0, StringId(0u)};
    std::string_view file, function;
    if (splitPython(m_report.strings.at(name), file, frame.line, function)) {
        frame.file = m_report.strings.intern(file);
        frame.function = m_report.strings.intern(function);
    }
    entry->second = MemoryFrameId(m_out->frames.size());
    m_out->frames.push_back(frame);
    return entry->second;
}

MemoryStackId MemoryHistory::stack(const std::vector<MemoryFrameId>& frames)
{
    if (frames.empty()) return {};
    const auto [entry, isNew] = m_stacks.try_emplace(frames, m_stacks.size());
    if (!isNew) return entry->second;
    m_out->stackFrames.insert(m_out->stackFrames.end(), frames.begin(), frames.end());
    m_out->stackBegin.push_back(static_cast<uint32_t>(m_out->stackFrames.size()));
    return entry->second;
}

// Files may contain arbitrary ordinals, so impossible ordinals are replaced by unused numbers.
int32_t MemoryHistory::freeNumber(int32_t number) const
{
    while (std::ranges::find(m_numbers, number) != m_numbers.end())
        number += number < 0 ? -1 : 1;
    return number;
}

// Assigns device numbers. Subjects get the numbers of their GPUs; additional processes and other kinds of
// memory get separate numbers.
void MemoryHistory::numberSubjects()
{
    std::vector<ProcessId> processes;
    for (const MemorySubject& subject : m_subjects)
        processes.push_back(subject.process);
    std::ranges::sort(processes);
    processes.erase(std::unique(processes.begin(), processes.end()), processes.end());
    std::vector<std::pair<int32_t, size_t>> order;
    for (size_t i = 0; i < m_subjects.size(); ++i) {
        const int32_t number = numberInProcess(m_subjects[i]);
        const auto nth = static_cast<int32_t>(std::ranges::lower_bound(processes, m_subjects[i].process) -
                                              processes.begin());
        m_numbers.push_back(freeNumber(number + (number < 0 ? -nth : nth) * kNumbersOfProcess));
        order.emplace_back(m_numbers.back(), i);
    }
    std::ranges::sort(order);
    const StringId before = m_report.strings.intern("(allocated before the recording began)");
    for (const auto& [number, row] : order) {
        const MemorySubject& subject = m_subjects[row];
        m_out->devices.push_back(number);
        m_out->subjects.recorder.push_back(subject.recorder);
        m_out->subjects.kind.push_back(subject.kind);
        m_out->subjects.ordinal.push_back(subject.ordinal);
        m_out->subjects.process.push_back(subject.process);
        m_out->subjects.before.push_back(stack({frame(before)}));
    }
}

int64_t MemoryHistory::checkedTotal(int64_t total_bytes)
{
    if (total_bytes >= kNotRecorded) return total_bytes;
    m_report.notes.add("memory.total_below_zero", NoteSeverity::warning,
                       "negative totals of allocated or reserved bytes: ignored",
                       std::to_string(total_bytes) + " B");
    return kNotRecorded;
}

void MemoryHistory::addEntry(const MemoryRow& row)
{
    MemoryEntryTable& entries = m_out->entries;
    entries.device.push_back(m_numbers[row.subject]);
    entries.action.push_back(row.action);
    entries.address.push_back(row.address);
    entries.size_bytes.push_back(row.size_bytes);
    entries.stream.push_back(row.stream);
    entries.time_ns.push_back(row.time_ns);
    entries.stack.push_back(row.stack);
    const int64_t stated = checkedTotal(row.recorded_bytes), reserved = checkedTotal(row.reserved_bytes);
    entries.recorded_bytes.push_back(stated);
    entries.reserved_bytes.push_back(reserved);
    m_hasTotals |= stated != kNotRecorded;
    m_hasReserved |= reserved > 0; // the value is always recorded as 0 for a CPU
}

Status MemoryHistory::finish(const Progress& progress)
{
    if (m_rows.empty()) return {};
    numberSubjects();
    const auto key = [&](const MemoryRow& row) {
        return std::tuple(m_numbers[row.subject], row.time_ns, row.order, row.address, row.action);
    };
    LOCKSTEP_TRY(progress.check());
    std::ranges::sort(m_rows, {}, key);
    LOCKSTEP_TRY(progress.check());
    for (const MemoryRow& row : m_rows)
        addEntry(row);
    if (!m_hasTotals) m_out->entries.recorded_bytes = {};
    if (!m_hasReserved) m_out->entries.reserved_bytes = {};
    m_rows = {};
    m_report.memory = std::move(m_out);
    return progress.check();
}

} // namespace lockstep
