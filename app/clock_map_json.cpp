#include "app/clock_map_json.h"

#include <algorithm>
#include <limits>

#include <QJsonArray>

namespace lockstep {

namespace {

void put(QJsonObject& out, const char* key, const std::optional<int64_t>& value)
{
    if (value) out[key] = qint64(*value);
}

std::optional<int64_t> takeNumber(const QJsonObject& object, const char* key)
{
    if (!object.contains(key)) return std::nullopt;
    return object[key].toInteger();
}

uint32_t takeCount(const QJsonObject& object, const char* key)
{
    return static_cast<uint32_t>(
        std::clamp<qint64>(object[key].toInteger(), 0, std::numeric_limits<uint32_t>::max()));
}

// The value of an enumeration whose words nameOf() gives; the first one for an unknown word.
template<class Enum, class NameOf>
Enum enumOf(const QString& word, Enum last, const NameOf& nameOf)
{
    for (int i = 0; i <= static_cast<int>(last); ++i) {
        const std::string_view name = nameOf(static_cast<Enum>(i));
        if (word == QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size())))
            return static_cast<Enum>(i);
    }
    return Enum{};
}

} // namespace

QJsonObject clockMapObject(const ClockMap& map)
{
    QJsonObject out{{"offset_ns", qint64(map.offset_ns)},
                    {"drift_ppb", qint64(map.drift_ppb)},
                    {"drift_origin_ns", qint64(map.driftOrigin.ns)},
                    {"method", QString::fromUtf8(alignMethodName(map.method))},
                    {"confidence", QString::fromUtf8(clockConfidenceName(map.confidence))},
                    {"reason", QString::fromUtf8(map.reason)},
                    {"domain_error_ns", qint64(map.domainError_ns)},
                    {"correction_ns", qint64(map.correction_ns)},
                    {"anchors", qint64(map.anchorsUsed)},
                    {"violations_before", qint64(map.violationsBefore)},
                    {"violations_after", qint64(map.violationsAfter)}};
    put(out, "bound_ns", map.bound_ns);
    put(out, "error_ns", map.error_ns);
    put(out, "drift_error_ppb", map.driftError_ppb);
    if (map.guaranteed)
        out["guaranteed_ns"] =
            QJsonArray{qint64(map.guaranteed->earliest_ns), qint64(map.guaranteed->latest_ns)};
    QJsonArray steps;
    for (const ClockStep& step : map.steps)
        steps << QJsonArray{qint64(step.at.ns), qint64(step.jump_ns)};
    if (!steps.isEmpty()) out["steps_ns"] = steps;
    return out;
}

ClockMap clockMapOf(const QJsonObject& object)
{
    ClockMap map;
    map.offset_ns = object["offset_ns"].toInteger();
    map.drift_ppb = object["drift_ppb"].toInteger();
    map.driftOrigin = {object["drift_origin_ns"].toInteger()};
    map.method = enumOf(object["method"].toString(), AlignMethod::manual, alignMethodName);
    map.confidence = enumOf(object["confidence"].toString(), ClockConfidence::exact, clockConfidenceName);
    map.reason = object["reason"].toString().toStdString();
    map.domainError_ns = object["domain_error_ns"].toInteger();
    map.correction_ns = object["correction_ns"].toInteger();
    map.anchorsUsed = takeCount(object, "anchors");
    map.violationsBefore = takeCount(object, "violations_before");
    map.violationsAfter = takeCount(object, "violations_after");
    map.bound_ns = takeNumber(object, "bound_ns");
    map.error_ns = takeNumber(object, "error_ns");
    map.driftError_ppb = takeNumber(object, "drift_error_ppb");
    const QJsonArray guaranteed = object["guaranteed_ns"].toArray();
    if (guaranteed.size() == 2) map.guaranteed = {guaranteed[0].toInteger(), guaranteed[1].toInteger()};
    for (const QJsonValue& value : object["steps_ns"].toArray()) {
        const QJsonArray step = value.toArray();
        if (step.size() == 2) map.steps.push_back({{step[0].toInteger()}, step[1].toInteger()});
    }
    std::ranges::sort(map.steps, {}, &ClockStep::at);
    return map;
}

} // namespace lockstep
