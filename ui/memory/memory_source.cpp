// SPDX-License-Identifier: Apache-2.0
#include "ui/memory/memory_source.h"

#include <QCoreApplication>

#include "core/analysis/memory_tables/stack_tables.h"
#include "core/base/text.h"

namespace lockstep {

namespace {

QString sourceText(const char* text)
{
    return QCoreApplication::translate("lockstep::MemorySource", text);
}

QString sourceName(const Scene& scene, ReportKey key, int32_t device, size_t devices)
{
    const Report& report = scene.shown.report(key);
    const MemorySubject subject = report.memory->subjectOf(device);
    const ProcessId first = report.processes.empty() ? ProcessId() : ProcessId(0u);
    const Identity& identity = scene.shown.identity(key, subject.process.isValid() ? subject.process : first);
    QStringList parts;
    if (identity.rank.value)
        parts << sourceText(QT_TRANSLATE_NOOP("lockstep::MemorySource", "rank %1")).arg(*identity.rank.value);
    if (identity.host.value) parts << shownText(*identity.host.value, 40);
    if (identity.step.value)
        parts << sourceText(QT_TRANSLATE_NOOP("lockstep::MemorySource", "step %1")).arg(*identity.step.value);
    if (!identity.rank.value) parts << shownText(report.provenance.path.filename().string(), 60);
    if (subject.kind == MemoryKind::pinned) {
        parts << sourceText(QT_TRANSLATE_NOOP("lockstep::MemorySource", "pinned host memory"));
    } else if (subject.kind != MemoryKind::device) {
        parts << shownText(memorySubjectName(subject));
    } else if (devices > 1 && subject.ordinal >= 0) {
        parts << sourceText(QT_TRANSLATE_NOOP("lockstep::MemorySource", "device %1")).arg(subject.ordinal);
    }
    if (const auto remark = recordingOf(subject.recorder).remark; !remark.empty()) parts << shownText(remark);
    return parts.join(QString::fromUtf8(" \u00B7 "));
}

} // namespace

TimeRange MemorySource::extent() const
{
    const DeviceReplay& replay = device();
    const int64_t first = replay.timeOf(snapshot(), 0).value_or(0);
    const int64_t last = replay.timeOf(snapshot(), replay.lastMoment()).value_or(first);
    return {{first}, {std::max(last, first) + 1}};
}

std::optional<TraceTime> MemorySource::alignedTime(MemoryMoment moment) const
{
    const auto time_ns = device().timeOf(snapshot(), moment);
    if (!time_ns) return std::nullopt;
    return map.alignedFromTrace(TraceTime{*time_ns});
}

QString MemorySource::momentText(MemoryMoment moment) const
{
    if (device().rows.empty())
        return sourceText(QT_TRANSLATE_NOOP("lockstep::MemorySource", "the time of the dump"));
    const auto number = [](MemoryMoment n) { return QString::fromStdString(groupedText(n)); };
    const QString entry = sourceText(QT_TRANSLATE_NOOP("lockstep::MemorySource", "entry %1 of %2"))
                              .arg(number(moment), number(device().lastMoment()));
    const auto time_ns = device().timeOf(snapshot(), moment), first_ns = device().timeOf(snapshot(), 0);
    if (!time_ns || !first_ns) return entry;
    return QString("+%1, %2").arg(QString::fromStdString(durationText({*time_ns - *first_ns})), entry);
}

std::vector<MemorySource> memorySources(const Scene& scene)
{
    std::vector<MemorySource> out;
    for (const ReportKey key : scene.shown.keys()) {
        if (!scene.lods.has(key) || !scene.lods[key] || scene.lods[key]->memory() == nullptr) continue;
        const auto& memory = scene.lods[key]->sharedMemory();
        const auto& devices = memory->replay.devices;
        for (size_t row = 0; row < devices.size(); ++row) {
            out.push_back({key, scene.shown.shared(key), memory, row, scene.alignment.map(key),
                           sourceName(scene, key, devices[row].device, devices.size())});
        }
    }
    return out;
}

QString shownText(std::string_view text, int maxLength)
{
    const QString line =
        QString::fromStdString(printable(text.substr(0, static_cast<size_t>(maxLength) * 4)));
    return line.size() <= maxLength ? line : line.left(maxLength - 1) + QChar(0x2026);
}

QString frameText(const MemorySource& source, MemoryFrameId id)
{
    if (!id.isValid()) return sourceText(QT_TRANSLATE_NOOP("lockstep::MemorySource", "no stack"));
    const MemoryFrame& frame = source.snapshot().frames[id.value];
    const std::string_view function = source.report->strings.at(frame.function);
    std::string_view file = source.report->strings.at(frame.file);
    if (file.empty() || file == "??") return shownText(function);
    for (size_t slash = file.rfind('/'), parts = 1; slash != std::string_view::npos; --parts) {
        if (parts == 0) {
            file = file.substr(slash + 1);
            break;
        }
        slash = slash == 0 ? std::string_view::npos : file.rfind('/', slash - 1);
    }
    return QString("%1:%2 %3").arg(shownText(file, 160)).arg(frame.line).arg(shownText(function));
}

QString wholeStackText(const MemorySource& source, MemoryStackId stack)
{
    constexpr int kMaxTextLength = 4096; // characters of a function or file name
    const auto& strings = source.report->strings;
    QStringList lines;
    for (const MemoryFrameId id : source.snapshot().stack(stack)) {
        const MemoryFrame& frame = source.snapshot().frames[id.value];
        const QString function = shownText(strings.at(frame.function), kMaxTextLength);
        QString file = shownText(strings.at(frame.file), kMaxTextLength);
        if (file == "??") file.clear();
        if (!file.isEmpty() && frame.line > 0) file += ':' + QString::number(frame.line);
        lines << (file + ' ' + function).trimmed();
    }
    return lines.isEmpty() ? frameText(source, {}) : lines.join('\n');
}

QString stackShown(const MemorySource& source, MemoryStackId stack, size_t maxFrames)
{
    return shownText(shortStackText(source.snapshot(), source.report->strings, stack, maxFrames), 600);
}

QString categoryText(MemoryCategory category)
{
    if (category == MemoryCategory::count)
        return sourceText(QT_TRANSLATE_NOOP("lockstep::MemorySource", "several categories"));
    return shownText(memoryCategoryName(category));
}

} // namespace lockstep
