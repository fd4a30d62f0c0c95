#include "app/window_state.h"

#include <algorithm>

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include "app/clock_map_json.h"

namespace lockstep {

namespace {

constexpr int kVersion = 1;

QJsonValue rangeValue(const std::optional<TimeRange>& range)
{
    if (!range) return QJsonValue::Null;
    return QJsonArray{qint64(range->begin.ns), qint64(range->end.ns)};
}

std::optional<TimeRange> rangeOf(const QJsonValue& value)
{
    const QJsonArray ends = value.toArray();
    if (ends.size() != 2) return std::nullopt;
    const TimeRange range{{ends[0].toInteger()}, {ends[1].toInteger()}};
    return range.begin < range.end ? std::optional(range) : std::nullopt;
}

QJsonObject alignmentObject(const AlignOptions& options)
{
    QJsonObject out{{"mode", QString::fromUtf8(alignModeName(options.mode))}};
    if (options.step) out["step"] = qint64(*options.step);
    if (!options.marker.empty()) out["marker"] = QString::fromUtf8(options.marker);
    if (options.occurrence > 0) out["occurrence"] = qint64(options.occurrence);
    QJsonArray shifts;
    for (const auto& [key, shift_ns] : options.shifts_ns)
        shifts << QJsonArray{qint64(key.value), qint64(shift_ns)};
    out["shifts_ns"] = shifts;
    QJsonArray kept;
    for (const auto& [key, clock] : options.kept) {
        QJsonObject entry{{"report", qint64(key.value)}, {"clock", clockMapObject(clock.map)}};
        if (clock.utcAtZero_ns) entry["utc_at_zero_ns"] = qint64(*clock.utcAtZero_ns);
        kept << entry;
    }
    if (!kept.isEmpty()) out["kept"] = kept;
    return out;
}

AlignOptions alignmentOf(const QJsonObject& object, size_t reports)
{
    AlignOptions options;
    const auto mode = alignModeNamed(object["mode"].toString().toStdString());
    if (mode) options.mode = *mode;
    if (object.contains("step")) options.step = object["step"].toInteger();
    options.marker = object["marker"].toString().toStdString();
    options.occurrence = static_cast<size_t>(std::max<qint64>(0, object["occurrence"].toInteger()));
    for (const QJsonValue& value : object["shifts_ns"].toArray()) {
        const QJsonArray shift = value.toArray();
        const qint64 report = shift.size() == 2 ? shift[0].toInteger(-1) : -1;
        if (report < 0 || static_cast<size_t>(report) >= reports) continue;
        options.shifts_ns[ReportKey(static_cast<size_t>(report))] = shift[1].toInteger();
    }
    for (const QJsonValue& value : object["kept"].toArray()) {
        const QJsonObject entry = value.toObject();
        const qint64 report = entry["report"].toInteger(-1);
        if (report < 0 || static_cast<size_t>(report) >= reports) continue;
        KeptClock clock{clockMapOf(entry["clock"].toObject()), {}};
        if (entry.contains("utc_at_zero_ns")) clock.utcAtZero_ns = entry["utc_at_zero_ns"].toInteger();
        options.kept[ReportKey(static_cast<size_t>(report))] = std::move(clock);
    }
    return options;
}

QJsonArray keysArray(const std::set<std::string>& keys)
{
    QJsonArray out;
    for (const std::string& key : keys)
        out << QString::fromUtf8(key);
    return out;
}

std::set<std::string> keysOf(const QJsonValue& value)
{
    std::set<std::string> keys;
    for (const QJsonValue& key : value.toArray())
        keys.insert(key.toString().toStdString());
    return keys;
}

template<class Names, class Value>
QString nameAt(const Names& names, Value value)
{
    const std::string_view name = names[static_cast<size_t>(value)];
    return QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
}

// A name that is not there changes nothing.
template<class Names, class Value>
void setNamed(const Names& names, const QString& name, Value& value)
{
    const auto found = std::ranges::find(names, name.toStdString());
    if (found != names.end()) value = static_cast<Value>(found - names.begin());
}

QJsonObject lanesObject(const LaneState& lanes)
{
    QJsonObject collapsed;
    for (const auto& [key, isCollapsed] : lanes.collapsed)
        collapsed[QString::fromUtf8(key)] = isCollapsed;
    return {{"collapsed", collapsed},
            {"hidden", keysArray(lanes.hidden)},
            {"pinned", keysArray(lanes.pinned)},
            {"opened", keysArray(lanes.opened)},
            {"rank_order", nameAt(kRankOrderNames, lanes.rankMap.order)},
            {"rank_color", nameAt(kRankColorNames, lanes.rankMap.color)},
            {"row_height", lanes.rowHeight}};
}

LaneState lanesOf(const QJsonObject& object)
{
    LaneState lanes;
    const QJsonObject collapsed = object["collapsed"].toObject();
    for (auto lane = collapsed.begin(); lane != collapsed.end(); ++lane)
        lanes.collapsed[lane.key().toStdString()] = lane.value().toBool();
    lanes.hidden = keysOf(object["hidden"]);
    lanes.pinned = keysOf(object["pinned"]);
    lanes.opened = keysOf(object["opened"]);
    setNamed(kRankOrderNames, object["rank_order"].toString(), lanes.rankMap.order);
    setNamed(kRankColorNames, object["rank_color"].toString(), lanes.rankMap.color);
    const int height = object["row_height"].toInt(lanes.rowHeight);
    if (height >= 8 && height <= 64) lanes.rowHeight = height;
    return lanes;
}

} // namespace

std::string windowStateText(const WindowState& state)
{
    QJsonArray hidden;
    for (const size_t report : state.hiddenReports)
        hidden << qint64(report);
    QJsonArray locked;
    for (const ReportKey report : state.alignment.locked)
        locked << qint64(report.value);
    const QJsonObject all{{"version", kVersion},
                          {"alignment", alignmentObject(state.alignment.options)},
                          {"hidden_reports", hidden},
                          {"locked_reports", locked},
                          {"visible_ns", rangeValue(state.visible)},
                          {"selected_ns", rangeValue(state.selected)},
                          {"lanes", lanesObject(state.lanes)}};
    return QJsonDocument(all).toJson(QJsonDocument::Compact).toStdString();
}

Result<WindowState> parseWindowState(std::string_view text, size_t reports)
{
    const QJsonDocument document =
        QJsonDocument::fromJson(QByteArray(text.data(), static_cast<qsizetype>(text.size())));
    const QJsonObject all = document.object();
    const int version = all["version"].toInt();
    if (version != kVersion) {
        return makeError(ErrorKind::unsupported, "the view kept in the workspace is of version " +
                                                     std::to_string(version) + ", this Lockstep knows " +
                                                     std::to_string(kVersion) +
                                                     "; the whole is shown instead");
    }
    WindowState state;
    state.alignment.options = alignmentOf(all["alignment"].toObject(), reports);
    for (const QJsonValue& report : all["locked_reports"].toArray()) {
        const qint64 at = report.toInteger(-1);
        const ReportKey key(static_cast<size_t>(at));
        if (at >= 0 && state.alignment.options.kept.contains(key)) state.alignment.locked.insert(key);
    }
    for (const QJsonValue& report : all["hidden_reports"].toArray()) {
        const qint64 at = report.toInteger(-1);
        if (at >= 0 && static_cast<size_t>(at) < reports) state.hiddenReports.insert(static_cast<size_t>(at));
    }
    state.visible = rangeOf(all["visible_ns"]);
    state.selected = rangeOf(all["selected_ns"]);
    state.lanes = lanesOf(all["lanes"].toObject());
    return state;
}

} // namespace lockstep
