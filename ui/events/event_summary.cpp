// SPDX-License-Identifier: Apache-2.0
#include "ui/events/event_summary.h"

#include <cmath>

#include <QCoreApplication>

#include "core/base/text.h"

namespace lockstep {

namespace {

QString summaryWords(const char* text)
{
    return QCoreApplication::translate("lockstep::EventTable", text);
}

QString amountText(EventColumn column, double value)
{
    if (column == EventColumn::duration)
        return QString::fromStdString(durationText({static_cast<int64_t>(std::llround(value))}));
    if (column == EventColumn::bytes)
        return QString::fromStdString(byteText(static_cast<int64_t>(std::llround(value))));
    return QString::number(value, 'f', 3);
}

} // namespace

Result<std::string> eventSummary(const EventList& list, const std::vector<EventColumn>& columns,
                                 uint64_t first, uint64_t end, const Progress& progress)
{
    constexpr uint64_t kAtOnce = 4'096;
    const QString cells = summaryWords("%1 cells")
                              .arg(groupedText(static_cast<int64_t>((end - first) * columns.size())).c_str());
    // Numbers from different columns cannot be added up.
    std::optional<EventColumn> summed;
    for (const EventColumn column : columns) {
        const bool hasAmounts =
            column == EventColumn::duration || column == EventColumn::bytes || column == EventColumn::bus;
        if (!hasAmounts) continue;
        if (summed) return cells.toStdString();
        summed = column;
    }
    if (!summed || end - first > kMaxSummedRows) return cells.toStdString();
    double sum = 0;
    int64_t numbers = 0;
    std::vector<SliceRef> rows;
    for (uint64_t at = first; at < end; at += rows.size()) {
        LOCKSTEP_TRY(progress.check());
        rows.resize(static_cast<size_t>(std::min(kAtOnce, end - at)));
        list.read(at, rows);
        for (const SliceRef row : rows) {
            const auto value = eventCellNumber(*summed, eventFacts(*list.scene(), row), nullptr);
            sum += value.value_or(0);
            numbers += value ? 1 : 0;
        }
    }
    if (numbers == 0) return cells.toStdString();
    const QString mean = amountText(*summed, sum / static_cast<double>(numbers));
    if (*summed == EventColumn::bus) return (cells + "   " + summaryWords("mean %1").arg(mean)).toStdString();
    return (cells + "   " + summaryWords("sum %1   mean %2").arg(amountText(*summed, sum), mean))
        .toStdString();
}

} // namespace lockstep
