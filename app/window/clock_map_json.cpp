// SPDX-License-Identifier: Apache-2.0
#include "app/window/clock_map_json.h"

#include <algorithm>
#include <limits>

namespace lockstep {

namespace {

void put(Json& out, const char* key, const std::optional<int64_t>& value)
{
    if (value) out[key] = *value;
}

uint32_t takeCount(const Json& object, const char* key)
{
    return static_cast<uint32_t>(
        std::min<uint64_t>(countAt(object, key), std::numeric_limits<uint32_t>::max()));
}

// Returns the enumeration value whose nameOf() equals the word; the first value if there is none.
template<class Enum, class NameOf>
Enum enumOf(const std::string& word, Enum last, const NameOf& nameOf)
{
    for (int i = 0; i <= static_cast<int>(last); ++i) {
        if (word == nameOf(static_cast<Enum>(i))) return static_cast<Enum>(i);
    }
    return Enum{};
}

} // namespace

std::optional<std::pair<int64_t, int64_t>> pairFromJson(const Json& value)
{
    if (!value.is_array() || value.size() != 2) return std::nullopt;
    const auto first = integerOf(value[0]), second = integerOf(value[1]);
    if (!first || !second) return std::nullopt;
    return std::pair(*first, *second);
}

Json jsonFromClockMap(const ClockMap& map)
{
    Json out{{"offset_ns", map.offset_ns},
             {"drift_ppb", map.drift_ppb},
             {"drift_origin_ns", map.driftOrigin.ns},
             {"method", alignMethodName(map.method)},
             {"confidence", clockConfidenceName(map.confidence)},
             {"reason", map.reason},
             {"domain_error_ns", map.domainError_ns},
             {"correction_ns", map.correction_ns},
             {"anchors", map.anchorsUsed},
             {"violations_before", map.violationsBefore},
             {"violations_after", map.violationsAfter}};
    put(out, "bound_ns", map.bound_ns);
    put(out, "error_ns", map.error_ns);
    put(out, "drift_error_ppb", map.driftError_ppb);
    if (map.guaranteed) {
        out["guaranteed_ns"] = Json::array({map.guaranteed->earliest_ns, map.guaranteed->latest_ns});
    }
    for (const ClockStep& step : map.steps)
        out["steps_ns"].push_back(Json::array({step.at.ns, step.jump_ns}));
    return out;
}

ClockMap clockMapFromJson(const Json& object)
{
    const auto number = [&object](const char* key) { return numberAt(object, key).value_or(0); };
    ClockMap map;
    map.offset_ns = number("offset_ns");
    map.drift_ppb = number("drift_ppb");
    map.driftOrigin = {number("drift_origin_ns")};
    map.method = enumOf(textAt(object, "method"), AlignMethod::manual, alignMethodName);
    map.confidence = enumOf(textAt(object, "confidence"), ClockConfidence::exact, clockConfidenceName);
    map.reason = textAt(object, "reason");
    map.domainError_ns = number("domain_error_ns");
    map.correction_ns = number("correction_ns");
    map.anchorsUsed = takeCount(object, "anchors");
    map.violationsBefore = takeCount(object, "violations_before");
    map.violationsAfter = takeCount(object, "violations_after");
    map.bound_ns = numberAt(object, "bound_ns");
    map.error_ns = numberAt(object, "error_ns");
    map.driftError_ppb = numberAt(object, "drift_error_ppb");
    if (const auto guaranteed = pairFromJson(listAt(object, "guaranteed_ns")))
        map.guaranteed = {guaranteed->first, guaranteed->second};
    for (const Json& value : listAt(object, "steps_ns")) {
        if (const auto step = pairFromJson(value)) map.steps.push_back({{step->first}, step->second});
    }
    std::ranges::sort(map.steps, {}, &ClockStep::at);
    return map;
}

} // namespace lockstep
