// SPDX-License-Identifier: Apache-2.0
#include "core/readers/chrome_json/actor_names.h"

namespace lockstep {

std::optional<MergedPid> mergedPid(std::string_view text)
{
    const size_t end = text.find("] ");
    if (!text.starts_with('[') || end == std::string_view::npos) return std::nullopt;
    return MergedPid{text.substr(0, end + 1), text.substr(end + 2)};
}

void ActorNames::add(const EventRows& worker)
{
    for (const LaneKey& lane : worker.lanes) {
        add(lane.process, worker);
        add(lane.thread, worker);
    }
    for (const CounterSeries& series : worker.counters)
        add(series.key.process, worker);
    for (const MetadataRow& row : worker.metadata) {
        add(row.process, worker);
        add(row.thread, worker);
    }
    int64_t number = lowest();
    for (auto& [text, assigned] : m_numbers)
        assigned = number++;
}

void ActorNames::add(Actor actor, const EventRows& worker)
{
    if (actor.isText)
        m_numbers.try_emplace(std::string(worker.names.at(StringId(static_cast<uint32_t>(actor.number)))));
}

int64_t ActorNames::numberOf(Actor actor, const EventRows& worker) const
{
    if (!actor.isText) return actor.number;
    const auto found = m_numbers.find(worker.names.at(StringId(static_cast<uint32_t>(actor.number))));
    return found != m_numbers.end() ? found->second : 0;
}

std::string_view ActorNames::textOf(int64_t number) const
{
    if (number > kLast || number < lowest()) return {};
    const auto index = static_cast<size_t>(number - lowest());
    if (index >= m_numbers.size()) return {};
    return std::next(m_numbers.begin(), static_cast<ptrdiff_t>(index))->first;
}

} // namespace lockstep
