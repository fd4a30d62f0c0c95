// SPDX-License-Identifier: Apache-2.0
#include "core/readers/memory_snapshot/frame_pool.h"

#include <algorithm>
#include <limits>
#include <string>

#include "core/base/text.h"

namespace lockstep {

namespace {

constexpr uint64_t kMix = 0x9E3779B97F4A7C15ull;

} // namespace

FramePool::FramePool(const ValueTree& values, ReportBuilder& builder, MemorySnapshot& out)
    : m_values(values), m_builder(builder), m_out(out)
{
}

size_t FramePool::FrameHash::operator()(const MemoryFrame& frame) const noexcept
{
    uint64_t hash = 0;
    for (const uint32_t part :
         {frame.function.value, frame.file.value, static_cast<uint32_t>(frame.line), frame.graphNode.value}) {
        hash = (hash ^ part) * kMix;
        hash ^= hash >> 29;
    }
    return hash;
}

MemoryStackId FramePool::stack(ValueId list)
{
    if (!list.isValid() || m_values.kind(list) != ValueKind::list) return {};
    const auto [entry, isNew] = m_byList.try_emplace(list);
    if (isNew) {
        std::vector<MemoryFrameId> frames;
        m_values.forEachItem(list, [&](ValueId item) {
            if (m_values.kind(item) == ValueKind::dict) frames.push_back(frame(item));
        });
        if (!frames.empty()) entry->second = intern(frames);
    }
    return entry->second;
}

MemoryFrameId FramePool::frame(ValueId dict)
{
    const auto [entry, isNew] = m_byDict.try_emplace(dict);
    if (!isNew) return entry->second;
    MemoryFrame frame;
    std::string node;
    m_values.forEachEntry(dict, [&](std::string_view key, ValueId value) {
        if (key == "line") {
            const int64_t line = m_values.asInteger(value).value_or(0);
            frame.line =
                line > 0 && line < std::numeric_limits<int32_t>::max() ? static_cast<int32_t>(line) : 0;
            return;
        }
        const auto text = m_values.asText(value);
        if (!text) return;
        if (key == "name") frame.function = m_builder.intern(repairedUtf8(*text));
        if (key == "filename") frame.file = m_builder.intern(repairedUtf8(*text));
        if (key.starts_with("fx_node_")) node += (node.empty() ? "" : " ") + repairedUtf8(*text);
    });
    frame.graphNode = m_builder.intern(node);
    const auto [same, isNewFrame] = m_byContent.try_emplace(frame, m_out.frames.size());
    if (isNewFrame) m_out.frames.push_back(frame);
    m_byDict[dict] = same->second;
    return same->second;
}

MemoryStackId FramePool::intern(const std::vector<MemoryFrameId>& frames)
{
    uint64_t hash = frames.size();
    for (const MemoryFrameId id : frames) {
        hash = (hash ^ id.value) * kMix;
        hash ^= hash >> 29;
    }
    const auto [begin, end] = m_byHash.equal_range(hash);
    for (auto at = begin; at != end; ++at) {
        if (std::ranges::equal(m_out.stack(at->second), frames)) return at->second;
    }
    const MemoryStackId id(m_out.stackCount());
    m_out.stackFrames.insert(m_out.stackFrames.end(), frames.begin(), frames.end());
    m_out.stackBegin.push_back(static_cast<uint32_t>(m_out.stackFrames.size()));
    m_byHash.emplace(hash, id);
    return id;
}

} // namespace lockstep
