// SPDX-License-Identifier: Apache-2.0
#include "core/readers/chrome_json/event_bytes.h"

#include <algorithm>
#include <string>

namespace lockstep {

void EventBytes::addLost(uint64_t offset, uint64_t size)
{
    lost += size;
    ++sections;
    firstLost = std::min(firstLost, offset);
}

void EventBytes::merge(const EventBytes& other)
{
    repaired += other.repaired;
    lost += other.lost;
    sections += other.sections;
    firstLost = std::min(firstLost, other.firstLost);
}

void noteLostBytes(const EventBytes& bytes, uint64_t total, ImportNotes& notes)
{
    if (bytes.lost == 0) return;
    const std::string text =
        std::to_string(bytes.lost) + " of the " + std::to_string(total) +
        " bytes between the first and the last event do not form events and were skipped; " +
        std::to_string(bytes.repaired) + " were repaired, " +
        std::to_string(total - bytes.lost - bytes.repaired) +
        " were read unchanged. The file is damaged: copy it again";
    notes.add("events.lost", NoteSeverity::dataLoss, text, "byte " + std::to_string(bytes.firstLost),
              bytes.sections);
}

} // namespace lockstep
