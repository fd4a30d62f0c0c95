// SPDX-License-Identifier: Apache-2.0
#include "core/readers/chrome_json/ascend_rows.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "core/base/text.h"

namespace lockstep {

namespace {

constexpr EventClass kTask{RowKind::kernel, TrackKind::gpuStream, SliceCategory::compute};
constexpr EventClass kCopy{RowKind::memcpy, TrackKind::gpuStream, SliceCategory::copyOnDevice};
constexpr EventClass kWait{RowKind::synchronization, TrackKind::gpuSync, SliceCategory::synchronization};
constexpr EventClass kCommunication{RowKind::kernel, TrackKind::gpuStream, SliceCategory::communication};
constexpr EventClass kCall{RowKind::runtimeApi, TrackKind::cudaApi, SliceCategory::cudaApi};

// Upper-case substrings of task types that wait or signal but do not compute anything.
constexpr std::array<std::string_view, 5> kSignals{"EVENT", "NOTIFY", "WRITE VALUE", "WRITE_VALUE",
                                                   "PLACE_HOLDER"};
constexpr std::array<std::string_view, 2> kCopies{"SDMA", "PCIE_DMA"};
constexpr std::array<std::string_view, 6> kCallLevels{"acl",  "model",         "node",
                                                      "hccl", "communication", "runtime"};

constexpr std::array<std::pair<std::string_view, uint64_t>, 14> kTypes{{{"INT8", 1},
                                                                        {"UINT8", 1},
                                                                        {"INT16", 2},
                                                                        {"UINT16", 2},
                                                                        {"FP16", 2},
                                                                        {"BFP16", 2},
                                                                        {"INT32", 4},
                                                                        {"UINT32", 4},
                                                                        {"FP32", 4},
                                                                        {"INT64", 8},
                                                                        {"UINT64", 8},
                                                                        {"FP64", 8},
                                                                        {"HIF8", 1},
                                                                        {"FP8E4M3", 1}}};

bool holdsAny(std::string_view text, std::span<const std::string_view> parts)
{
    return std::ranges::any_of(
        parts, [&](std::string_view part) { return text.find(part) != std::string_view::npos; });
}

} // namespace

EventClass ascendTaskClass(std::string_view taskType, std::string_view name)
{
    std::string type(taskType);
    std::ranges::transform(type, type.begin(),
                           [](char c) { return c >= 'a' && c <= 'z' ? char(c - 32) : c; });
    if (holdsAny(type, kSignals)) return kWait;
    if (holdsAny(type, kCopies) || name.starts_with("MEMCPY") || type.starts_with("MEMCPY")) return kCopy;
    return kTask;
}

std::optional<EventClass> ascendClass(const RawEvent& event)
{
    if (!event.category.empty()) return std::nullopt;
    if (!event.args.taskType.empty()) return ascendTaskClass(event.args.taskType, event.name);
    if (event.name.starts_with("hcom_")) return kCommunication;
    // calls have names such as "AscendCL@aclnnMul", "Node@launch"
    const bool isCall = event.name.find('@') != std::string_view::npos;
    if (isCall && std::ranges::find(kCallLevels, event.args.level) != kCallLevels.end()) return kCall;
    return std::nullopt;
}

int64_t ascendDevice(const RawEvent& event)
{
    constexpr int64_t kMinNumbered = 1 << 15;
    if (event.pid.isText || event.pid.number < kMinNumbered) return 0;
    return event.pid.number & 31;
}

CollectiveOp hcclCollective(std::string_view name, StringPool& strings)
{
    CollectiveOp op;
    const size_t from = std::string_view("hcom_").size();
    const size_t bar = name.find("__");
    if (!name.starts_with("hcom_") || bar == std::string_view::npos) return op;
    op.collective = strings.intern(name.substr(from, bar - from));
    const std::string_view rest = name.substr(bar + 2);
    const size_t first = rest.find('_');
    if (first == std::string_view::npos) return op;
    op.group = strings.intern(rest.substr(0, first));
    const std::string_view index = rest.substr(first + 1);
    const auto sequence = parseInt(index.substr(0, index.find('_')));
    if (sequence && *sequence >= 0) op.sequence = static_cast<uint64_t>(*sequence);
    const std::string lower = lowerAscii(name.substr(from, bar - from));
    op.isPointToPoint = lower == "send" || lower == "receive";
    return op;
}

CollectiveOp ascendCollective(const RawEvent& event, StringPool& strings)
{
    CollectiveOp op = hcclCollective(event.name, strings);
    const std::string_view type = event.args.dataType;
    if (!type.empty()) op.dataType = strings.intern(type);
    if (event.args.elements == 0) return op;
    op.inElements = event.args.elements;
    const uint64_t bytes = hcclElementBytes(type);
    if (bytes > 0 && op.inElements < UINT64_MAX / bytes) op.message_bytes = op.inElements * bytes;
    return op;
}

uint64_t hcclElementBytes(std::string_view dataType)
{
    const auto found = std::ranges::find(kTypes, dataType, &std::pair<std::string_view, uint64_t>::first);
    return found == kTypes.end() ? 0 : found->second;
}

} // namespace lockstep
