// SPDX-License-Identifier: Apache-2.0
#include "core/readers/samples/otlp_updates.h"

#include <algorithm>

namespace lockstep {

void RollUpdates::number()
{
    std::ranges::sort(m_updates, {},
                      [](const Update& update) { return std::pair(update.end_ns, update.source); });
    const auto isOfStep = [](const Update& update) { return update.version != kUnrecorded; };
    const auto known = std::ranges::find_if(m_updates, isOfStep);
    const bool isCounted = known == m_updates.end();
    if (isCounted && m_isAnyLost) return;
    m_first = isCounted ? 0 : kUnrecorded;
    int64_t next = isCounted ? 1 : known->version - (known - m_updates.begin());
    for (Update& update : m_updates) {
        if (isOfStep(update)) next = update.version;
        update.version = next >= 0 ? next : kUnrecorded;
        ++next;
    }
}

void RollUpdates::finish(SampleRows& rows)
{
    if (m_updates.empty()) return;
    number();
    for (const Update& update : m_updates)
        rows.addWeightUpdate(update.source, update.version);
    const auto versionAt = [&](int64_t at) {
        const auto after = std::ranges::upper_bound(m_updates, at, {}, &Update::end_ns);
        return after == m_updates.begin() ? m_first : std::prev(after)->version;
    };
    for (uint32_t row = 0; row < rows.sampleCount(); ++row) {
        Sample& sample = rows.at(SampleId(row));
        if (sample.level != SampleLevel::sample || sample.start_ns == kUnrecorded) continue;
        sample.firstVersion = versionAt(sample.start_ns);
        sample.lastVersion = sample.end_ns == kUnrecorded ? kUnrecorded : versionAt(sample.end_ns);
    }
}

} // namespace lockstep
