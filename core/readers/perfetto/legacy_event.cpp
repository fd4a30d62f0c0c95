// SPDX-License-Identifier: Apache-2.0
#include "core/readers/perfetto/legacy_event.h"

#include <functional>

#include "core/readers/perfetto/proto_scan.h"

namespace lockstep {

LegacyEvent LegacyEvent::read(std::string_view message)
{
    LegacyEvent event;
    ProtoScan scan(message);
    for (ProtoField field; scan.next(field);) {
        switch (field.id) {
        case 1:
            event.nameIid = field.number;
            break;
        case 2:
            event.phase = field.number < 128 ? static_cast<char>(field.number) : '?';
            break;
        case 3:
            event.duration_us = field.asSigned();
            break;
        case 6:  // unscoped_id
        case 10: // local_id
        case 11: // global_id
            event.id = field.number;
            event.isOfProcess = field.id == 10;
            break;
        case 7:
            event.scope = std::hash<std::string_view>{}(field.bytes);
            break;
        case 8:
            event.bindId = field.number;
            break;
        case 12:
            event.bindsEnclosing = field.number != 0;
            break;
        case 13:
            event.direction = field.number;
            break;
        default:
            break;
        }
    }
    event.isBroken = scan.isBroken();
    return event;
}

FlowRole LegacyEvent::flowRole() const
{
    if (isFlow()) return phase == 's' ? FlowRole::start : phase == 't' ? FlowRole::step : FlowRole::end;
    return direction == 2 ? FlowRole::start : direction == 3 ? FlowRole::step : FlowRole::end;
}

uint64_t LegacyEvent::flowKey(uint64_t process) const
{
    const auto mixed = [](uint64_t key, uint64_t part) { return (key ^ part) * 0x9E3779B97F4A7C15u; };
    if (!isFlow()) return mixed(*bindId, 1);
    return mixed(mixed(mixed(id, 2), scope), isOfProcess ? process : 0);
}

} // namespace lockstep
