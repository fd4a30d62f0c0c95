// SPDX-License-Identifier: Apache-2.0
#include "ui/events/event_columns.h"

#include <algorithm>
#include <array>

#include <QCoreApplication>

#include "core/base/text.h"
#include "core/export/delimited_text.h"
#include "ui/models/column_unit.h"

namespace lockstep {

namespace {

// EventModel translates the strings.
constexpr std::array<EventColumnSpec, kEventColumns> kEventSpecs{{
    {"number", QT_TRANSLATE_NOOP("lockstep::EventModel", "#"), "",
     QT_TRANSLATE_NOOP("lockstep::EventModel", "Position in this list"), true, true, 76},
    {"start", QT_TRANSLATE_NOOP("lockstep::EventModel", "Start"), "ms",
     QT_TRANSLATE_NOOP("lockstep::EventModel",
                       "Start time on the aligned axis. The clipboard gets the value in ns."),
     true, true, 120},
    {"duration", QT_TRANSLATE_NOOP("lockstep::EventModel", "Duration"), "\u00B5s",
     QT_TRANSLATE_NOOP("lockstep::EventModel",
                       "Full duration, not clipped; empty for instants. The clipboard gets the value in ns."),
     true, true, 132},
    {"name", QT_TRANSLATE_NOOP("lockstep::EventModel", "Name"), "",
     QT_TRANSLATE_NOOP("lockstep::EventModel", "Name as recorded in the file"), false, true, 320},
    {"rank", QT_TRANSLATE_NOOP("lockstep::EventModel", "Rank"), "",
     QT_TRANSLATE_NOOP("lockstep::EventModel", "Rank of the process"), true, true, 64},
    {"node", QT_TRANSLATE_NOOP("lockstep::EventModel", "Node"), "",
     QT_TRANSLATE_NOOP("lockstep::EventModel", "Host of the process"), false, true, 84},
    {"lane", QT_TRANSLATE_NOOP("lockstep::EventModel", "Lane"), "",
     QT_TRANSLATE_NOOP("lockstep::EventModel", "Lane in the timeline"), false, true, 140},
    {"communicator", QT_TRANSLATE_NOOP("lockstep::EventModel", "Communicator"), "",
     QT_TRANSLATE_NOOP("lockstep::EventModel", "Process group of the collective, as recorded in the file"),
     false, true, 120},
    {"bytes", QT_TRANSLATE_NOOP("lockstep::EventModel", "Bytes"), "MiB",
     QT_TRANSLATE_NOOP("lockstep::EventModel", "Size of the copy or memset, or recorded message size of the "
                                               "collective. The clipboard gets the value in bytes."),
     true, true, 96},
    {"bus", QT_TRANSLATE_NOOP("lockstep::EventModel", "Bus"), "GB/s",
     QT_TRANSLATE_NOOP(
         "lockstep::EventModel",
         "Bus bandwidth as nccl-tests defines it, for all-reduce, all-gather and reduce-scatter. "
         "Computed from the kernel duration, which includes waiting for late ranks."),
     true, true, 88},
    {"skew", QT_TRANSLATE_NOOP("lockstep::EventModel", "Arrival skew"), "\u00B5s",
     QT_TRANSLATE_NOOP("lockstep::EventModel", "Start delay relative to the first rank, with its error "
                                               "bound"),
     true, true, 132},
    {"correlation", QT_TRANSLATE_NOOP("lockstep::EventModel", "Correlation"), "",
     QT_TRANSLATE_NOOP("lockstep::EventModel", "CUPTI correlation id, as recorded in the file"), true, false,
     100},
    {"grid", QT_TRANSLATE_NOOP("lockstep::EventModel", "Grid"), "",
     QT_TRANSLATE_NOOP("lockstep::EventModel", "Grid size of the kernel (blocks), as recorded in the file"),
     false, false, 110},
    {"block", QT_TRANSLATE_NOOP("lockstep::EventModel", "Block"), "",
     QT_TRANSLATE_NOOP("lockstep::EventModel", "Block size of the kernel (threads), as recorded in the file"),
     false, false, 96},
    {"registers", QT_TRANSLATE_NOOP("lockstep::EventModel", "Registers"), "",
     QT_TRANSLATE_NOOP("lockstep::EventModel", "Registers per thread, as recorded in the file"), true, false,
     84},
    {"thread", QT_TRANSLATE_NOOP("lockstep::EventModel", "Thread"), "",
     QT_TRANSLATE_NOOP("lockstep::EventModel", "Thread that ran the event. Empty for GPU work."), false,
     false, 130},
    {"kind", QT_TRANSLATE_NOOP("lockstep::EventModel", "Kind"), "",
     QT_TRANSLATE_NOOP("lockstep::EventModel", "Kind of the event's record in the file"), false, false, 110},
}};

constexpr uint64_t kRowsPerCheck = 2'048; // rows written between two progress checks

// Small sizes get more decimals, so that a copy of a few bytes is not shown as 0.
QString sizeText(int64_t size_bytes)
{
    constexpr double kMebibyte = 1 << 20;
    const double size = static_cast<double>(size_bytes) / kMebibyte;
    return QString::number(size, 'f', size_bytes == 0 || size >= 0.01 ? 2 : 6);
}

QString latin(std::string_view text)
{
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

QString cubeText(const RowFacts& facts, RowFact x, RowFact y, RowFact z)
{
    const auto a = facts.number(x), b = facts.number(y), c = facts.number(z);
    return a && b && c ? QString("%1\u00D7%2\u00D7%3").arg(*a).arg(*b).arg(*c) : QString();
}

QString skewText(const ArrivalSkew& skew)
{
    const QString late = groupedFixedPoint(skew.late.ns, 3, 1);
    return skew.bound ? late + QString(" \u00B1") + groupedFixedPoint(skew.bound->ns, 3, 1) : late + " ?";
}

} // namespace

const EventColumnSpec& eventColumn(EventColumn column)
{
    return kEventSpecs[static_cast<size_t>(column)];
}

std::optional<EventOrder> orderOf(EventColumn column)
{
    switch (column) {
    case EventColumn::number:
    case EventColumn::start:
        return EventOrder::time;
    case EventColumn::duration:
        return EventOrder::duration;
    case EventColumn::name:
        return EventOrder::name;
    case EventColumn::rank:
        return EventOrder::rank;
    case EventColumn::lane:
        return EventOrder::lane;
    default:
        return std::nullopt;
    }
}

bool needsSkew(std::span<const EventColumn> columns)
{
    return std::ranges::find(columns, EventColumn::skew) != columns.end();
}

Result<ArrivalSkews> arrivalSkews(const Scene& scene, std::span<const SliceRef> rows,
                                  const Progress& progress)
{
    ArrivalSkews skews;
    for (const SliceRef row : rows) {
        LOCKSTEP_TRY(progress.check());
        skews[row] = arrivalSkew(scene, row);
    }
    return skews;
}

QString eventCellText(EventColumn column, uint64_t row, const EventFacts& facts, const ArrivalSkew* skew)
{
    switch (column) {
    case EventColumn::number:
        return QString::fromStdString(groupedText(static_cast<int64_t>(row + 1)));
    case EventColumn::start:
        return groupedFixedPoint(facts.start.ns, 6, 6);
    case EventColumn::duration:
        return facts.isInstant ? QString() : groupedFixedPoint(facts.duration.ns, 3, 3);
    case EventColumn::bytes:
        if (!facts.size_bytes) return {};
        return sizeText(*facts.size_bytes);
    case EventColumn::bus:
        return facts.bus_GBps ? QString::number(*facts.bus_GBps, 'f', 1) : QString();
    case EventColumn::skew:
        return skew != nullptr ? skewText(*skew) : QString();
    case EventColumn::name:
        return latin(facts.name);
    default:
        return eventCellCopy(column, row, facts, skew);
    }
}

QString eventCellCopy(EventColumn column, uint64_t row, const EventFacts& facts, const ArrivalSkew* skew)
{
    const auto number = [](const auto& value) { return value ? QString::number(*value) : QString(); };
    switch (column) {
    case EventColumn::number:
        return QString::number(row + 1);
    case EventColumn::start:
        return QString::number(facts.start.ns);
    case EventColumn::duration:
        return facts.isInstant ? QString() : QString::number(facts.duration.ns);
    case EventColumn::name:
        return latin(facts.name);
    case EventColumn::rank:
        return number(facts.rank);
    case EventColumn::node:
        return QString::fromStdString(facts.node);
    case EventColumn::lane:
        return QString::fromStdString(facts.lane);
    case EventColumn::communicator:
        return QString::fromStdString(facts.communicator);
    case EventColumn::bytes:
        return number(facts.size_bytes);
    case EventColumn::bus:
        return facts.bus_GBps ? QString::number(*facts.bus_GBps, 'f', 3) : QString();
    case EventColumn::skew:
        return skew != nullptr ? QString::number(skew->late.ns) : QString();
    case EventColumn::correlation:
        return number(facts.details.number(RowFact::correlation));
    case EventColumn::grid:
        return cubeText(facts.details, RowFact::gridX, RowFact::gridY, RowFact::gridZ);
    case EventColumn::block:
        return cubeText(facts.details, RowFact::blockX, RowFact::blockY, RowFact::blockZ);
    case EventColumn::registers:
        return number(facts.details.number(RowFact::registers));
    case EventColumn::thread:
        return QString::fromStdString(facts.thread);
    case EventColumn::kind:
        return latin(rowKindName(facts.kind));
    case EventColumn::count:
        break;
    }
    return {};
}

std::optional<double> eventCellNumber(EventColumn column, const EventFacts& facts, const ArrivalSkew* skew)
{
    switch (column) {
    case EventColumn::duration:
        return facts.isInstant ? std::nullopt : std::optional(static_cast<double>(facts.duration.ns));
    case EventColumn::bytes:
        return facts.size_bytes ? std::optional(static_cast<double>(*facts.size_bytes)) : std::nullopt;
    case EventColumn::bus:
        return facts.bus_GBps;
    case EventColumn::skew:
        return skew != nullptr ? std::optional(static_cast<double>(skew->late.ns)) : std::nullopt;
    default:
        return std::nullopt;
    }
}

Status writeEventRows(const EventList& list, const EventRowsText& what,
                      const std::function<void(std::string_view)>& sink, const Progress& progress)
{
    const bool isTabbed = what.delimiter == '\t';
    std::string line;
    const auto put = [&](size_t column, QString cell) {
        if (column > 0) line += what.delimiter;
        if (isTabbed) cell.replace('\t', ' ').replace('\n', ' ');
        const std::string text = spreadsheetText(cell.toStdString());
        line += isTabbed ? text : csvCell(text);
    };
    for (size_t c = 0; c < what.columns.size(); ++c) {
        const EventColumn column = what.columns[c];
        const bool isTime =
            column == EventColumn::start || column == EventColumn::duration || column == EventColumn::skew;
        const bool isRate = column == EventColumn::bus;
        put(c, eventColumn(column).title + QString(isTime ? " (ns)" : isRate ? " (GB/s)" : ""));
    }
    sink(line + '\n');
    const Scene& scene = *list.scene();
    std::vector<SliceRef> rows;
    for (uint64_t at = what.first; at < what.end; at += rows.size()) {
        LOCKSTEP_TRY(progress.check());
        progress.report(at - what.first, what.end - what.first);
        rows.resize(static_cast<size_t>(std::min(kRowsPerCheck, what.end - at)));
        list.read(at, rows);
        ArrivalSkews skews;
        if (needsSkew(what.columns)) skews = LOCKSTEP_TRY(arrivalSkews(scene, rows, progress));
        for (size_t i = 0; i < rows.size(); ++i) {
            const EventFacts facts = eventFacts(scene, rows[i]);
            const auto found = skews.find(rows[i]);
            const ArrivalSkew* const skew = found != skews.end() && found->second ? &*found->second : nullptr;
            line.clear();
            for (size_t c = 0; c < what.columns.size(); ++c) {
                put(c, eventCellCopy(what.columns[c], at + i, facts, skew));
            }
            sink(line + '\n');
        }
    }
    return {};
}

} // namespace lockstep
