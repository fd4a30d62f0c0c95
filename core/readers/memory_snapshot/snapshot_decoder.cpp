// SPDX-License-Identifier: Apache-2.0
#include "core/readers/memory_snapshot/snapshot_decoder.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "core/base/text.h"
#include "core/readers/memory_snapshot/snapshot_counters.h"

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

namespace {

constexpr std::array<std::pair<std::string_view, MemoryAction>, 10> kActions{
    {{"alloc", MemoryAction::alloc},
     {"free_requested", MemoryAction::freeRequested},
     {"free_completed", MemoryAction::freeCompleted},
     {"segment_alloc", MemoryAction::segmentAlloc},
     {"segment_free", MemoryAction::segmentFree},
     {"segment_map", MemoryAction::segmentMap},
     {"segment_unmap", MemoryAction::segmentUnmap},
     {"snapshot", MemoryAction::snapshot},
     {"oom", MemoryAction::outOfMemory},
     {"annotate", MemoryAction::annotate}}};

// PyTorch writes active_pending_free, but its documentation says active_awaiting_free.
BlockState blockState(std::string_view word)
{
    if (word == "active_allocated") return BlockState::allocated;
    if (word == "active_pending_free" || word == "active_awaiting_free") return BlockState::pendingFree;
    return word == "inactive" ? BlockState::inactive : BlockState::other;
}

template<class Column, class Value>
void setSparse(Column& column, size_t row, const Value& value, const Value& absent)
{
    if (value == absent) return;
    column.resize(row, absent);
    column.push_back(value);
}

} // namespace

SnapshotDecoder::SnapshotDecoder(const ValueTree& values, ReportBuilder& builder, ProcessId process,
                                 const Progress& progress)
    : m_values(values), m_builder(builder), m_process(process), m_progress(progress),
      m_out(std::make_shared<MemorySnapshot>()), m_frames(values, builder, *m_out),
      m_visited(values.nodeCount())
{
    m_visited[ValueTree::kDropped.value] = true;
}

bool SnapshotDecoder::isSnapshot(const ValueTree& values, ValueId root)
{
    bool found = false;
    values.forEachEntry(
        root, [&](std::string_view key, ValueId) { found |= key == "segments" || key == "device_traces"; });
    values.forEachItem(root, [&](ValueId item) {
        values.forEachEntry(item, [&](std::string_view key, ValueId) { found |= key == "blocks"; });
    });
    return found;
}

void SnapshotDecoder::readPart(std::string_view key, ValueId value)
{
    if (key == "segments" || key == "host_segments") {
        readSegments(value, key == "host_segments");
    } else if (key == "device_traces" || key == "host_traces") {
        readTraces(value, key == "host_traces");
    } else if (key == "external_annotations") {
        readAnnotations(value);
    } else if (key == "allocator_settings") {
        readSettings(value, "allocator", 0);
    } else {
        m_builder.report().notes.add("memory.unknown_key", NoteSeverity::dataLoss,
                                     "unknown sections of the snapshot: not shown",
                                     repairedUtf8(key.substr(0, 60)));
    }
}

bool SnapshotDecoder::takes(std::string_view key)
{
    m_isHostKey = key == "host_traces";
    return m_isHostKey || key == "device_traces";
}

void SnapshotDecoder::take(ValueId root, std::span<const ValueId> before, size_t place, ValueId row)
{
    m_root = root;
    for (; m_partsRead * 2 + 1 < before.size(); ++m_partsRead) {
        const auto key = m_values.asText(before[m_partsRead * 2]);
        if (key) readPart(*key, before[m_partsRead * 2 + 1]);
    }
    readEntry(row, m_isHostKey ? kHostMemory : static_cast<int32_t>(std::min<size_t>(place, 1 << 20)));
    // The ID of the row may be reused for another row.
    if (m_values.kind(row) == ValueKind::dict && !m_values.isPinned(row) && row != ValueTree::kDropped)
        m_visited[row.value] = false;
}

Status SnapshotDecoder::decode(ValueId root)
{
    if (m_root.isValid() && m_root != root)
        return makeError(
            ErrorKind::corrupt,
            "the allocation history is nested inside another object; the snapshot must be the top-level "
            "object of the pickle");
    readSegments(root, false); // before 2022, the file contains only the list of segments
    size_t part = 0;
    m_values.forEachEntry(root, [&](std::string_view key, ValueId value) {
        if (part++ >= m_partsRead) readPart(key, value);
    });
    LOCKSTEP_TRY(m_progress.check());
    return finish();
}

// Rows are separate dictionaries in every file that PyTorch writes. A row that is referenced again is not
// shown twice. Otherwise a small file could produce an unlimited number of rows.
bool SnapshotDecoder::isFirstVisit(ValueId dict, const char* what)
{
    if (m_values.kind(dict) != ValueKind::dict) {
        skip(what, "is not a dictionary");
        return false;
    }
    if (dict.value >= m_visited.size()) m_visited.resize(m_values.nodeCount());
    if (m_visited[dict.value]) {
        m_builder.report().notes.add("memory.row_again", NoteSeverity::dataLoss,
                                     "rows that are referenced more than once: shown once", what);
        return false;
    }
    m_visited[dict.value] = true;
    return true;
}

void SnapshotDecoder::skip(const char* what, const char* lacks)
{
    m_builder.report().notes.add("memory.bad_row", NoteSeverity::dataLoss,
                                 "rows without a required field: skipped", std::string(what) + " " + lacks);
}

StringId SnapshotDecoder::intern(ValueId value)
{
    const auto text = m_values.asText(value);
    if (!text) return StringId(0u);
    auto& [known, interned] = m_interned[value.value % m_interned.size()];
    if (known != value) {
        interned = m_builder.intern(repairedUtf8(*text));
        known = value;
    }
    return interned;
}

uint64_t SnapshotDecoder::size(ValueId value)
{
    const auto number = m_values.asUnsigned(value);
    if (!number) {
        m_builder.report().notes.add(
            "memory.bad_number", NoteSeverity::warning,
            "addresses or sizes that are not integers from 0 to 2^64 - 1: treated as 0", "");
    }
    return number.value_or(0);
}

// Returns the torch.compile frame. PyTorch writes "N/A" if there is no such frame.
StringId SnapshotDecoder::compileContext(ValueId value)
{
    return m_values.asText(value) == "N/A" ? StringId(0u) : intern(value);
}

void SnapshotDecoder::noteUnknownKey(std::string_view key)
{
    m_builder.report().notes.add("memory.unknown_entry_key", NoteSeverity::info,
                                 "history entries with an unknown key: the key is not shown",
                                 repairedUtf8(key.substr(0, 60)));
}

std::array<uint64_t, 2> SnapshotDecoder::pool(ValueId value) const
{
    std::array<uint64_t, 2> out{};
    size_t at = 0;
    m_values.forEachItem(value, [&](ValueId item) {
        if (at < out.size()) out[at++] = m_values.asUnsigned(item).value_or(0);
    });
    return out;
}

MemoryAction SnapshotDecoder::action(ValueId value)
{
    const std::string_view word = m_values.asText(value).value_or("");
    const auto known = std::ranges::find(kActions, word, &std::pair<std::string_view, MemoryAction>::first);
    if (known != kActions.end()) return known->second;
    m_builder.report().notes.add("memory.unknown_action", NoteSeverity::warning,
                                 "unknown allocator actions: shown as recorded",
                                 repairedUtf8(word.substr(0, 60)));
    return MemoryAction::other;
}

// Converts microseconds to ns. If a timestamp cannot be shown, returns the previous one.
int64_t SnapshotDecoder::timestamp(ValueId value)
{
    const auto time_us = m_values.asInteger(value);
    constexpr int64_t kLargest_us = kAllTime.end.ns / 1000;
    if (time_us && *time_us<kLargest_us&& * time_us> - kLargest_us) {
        m_lastTime_ns = *time_us * 1000;
    } else {
        m_builder.report().notes.add("memory.bad_stamp", NoteSeverity::warning,
                                     "implausible time_us values: replaced by the time of the previous row",
                                     "");
    }
    return m_lastTime_ns;
}

void SnapshotDecoder::readSegments(ValueId list, bool isHost)
{
    m_values.forEachItem(list, [&](ValueId dict) {
        if (!m_progress.isCanceled() && isFirstVisit(dict, "segment")) readSegment(dict, isHost);
    });
}

void SnapshotDecoder::readSegment(ValueId dict, bool isHost)
{
    MemorySegmentTable& out = m_out->segments;
    int64_t device = isHost ? kHostMemory : 0;
    uint64_t address = 0, total = 0, allocated = 0, active = 0, requested = 0, stream = 0;
    std::array<uint64_t, 2> poolId{};
    StringId type(0u);
    bool expandable = false;
    ValueId frames, blocks;
    m_values.forEachEntry(dict, [&](std::string_view key, ValueId value) {
        if (key == "device" && !isHost) device = m_values.asInteger(value).value_or(0);
        if (key == "address") address = size(value);
        if (key == "total_size") total = size(value);
        if (key == "allocated_size") allocated = size(value);
        if (key == "active_size") active = size(value);
        if (key == "requested_size") requested = size(value);
        if (key == "stream") stream = size(value);
        if (key == "segment_pool_id") poolId = pool(value);
        if (key == "segment_type") type = intern(value);
        if (key == "is_expandable") expandable = value == ValueTree::kTrue;
        if (key == "frames") frames = value;
        if (key == "blocks") blocks = value;
    });
    out.device.push_back(static_cast<int32_t>(std::clamp<int64_t>(device, kHostMemory, 1 << 20)));
    out.address.push_back(address);
    out.total_bytes.push_back(total);
    out.allocated_bytes.push_back(allocated);
    out.active_bytes.push_back(active);
    out.requested_bytes.push_back(requested);
    out.stream.push_back(stream);
    out.pool.push_back(poolId);
    out.type.push_back(type);
    out.isExpandable.push_back(expandable);
    out.stack.push_back(m_frames.stack(frames));
    out.firstBlock.push_back(static_cast<uint32_t>(m_out->blocks.size()));
    if (blocks.isValid()) readBlocks(blocks, address);
    out.blockCount.push_back(static_cast<uint32_t>(m_out->blocks.size()) - out.firstBlock.back());
}

void SnapshotDecoder::readBlocks(ValueId list, uint64_t segmentAddress)
{
    uint64_t next = segmentAddress;
    m_values.forEachItem(list, [&](ValueId dict) {
        if (isFirstVisit(dict, "block")) readBlock(dict, next);
    });
}

void SnapshotDecoder::readBlock(ValueId dict, uint64_t& nextAddress)
{
    MemoryBlockTable& out = m_out->blocks;
    uint64_t address = nextAddress, bytes = 0;
    std::optional<uint64_t> requested;
    BlockState state = BlockState::other;
    ValueId frames, history;
    m_values.forEachEntry(dict, [&](std::string_view key, ValueId value) {
        if (key == "address") address = size(value);
        if (key == "size") bytes = size(value);
        if (key == "requested_size") requested = size(value);
        if (key == "state") state = blockState(m_values.asText(value).value_or(""));
        if (key == "frames") frames = value;
        if (key == "history") history = value;
    });
    // Before 2023, a block has a history instead of frames. The first entry of the history is the current
    // owner.
    bool isOwner = true;
    m_values.forEachItem(history.isValid() ? history : ValueTree::kNone, [&](ValueId owner) {
        if (!std::exchange(isOwner, false)) return;
        m_values.forEachEntry(owner, [&](std::string_view key, ValueId value) {
            if (key == "frames" && !frames.isValid()) frames = value;
            if (key == "real_size" && !requested) requested = size(value);
        });
    });
    out.address.push_back(address);
    out.size_bytes.push_back(bytes);
    out.requested_bytes.push_back(requested.value_or(state == BlockState::inactive ? 0 : bytes));
    out.state.push_back(state);
    out.stack.push_back(m_frames.stack(frames));
    nextAddress = address + bytes;
}

void SnapshotDecoder::readTraces(ValueId list, bool isHost)
{
    int32_t device = isHost ? kHostMemory : 0;
    m_values.forEachItem(list, [&](ValueId item) {
        if (m_values.kind(item) == ValueKind::dict) { // host_traces may be a single flat list
            readEntry(item, isHost ? kHostMemory : 0);
            return;
        }
        m_values.forEachItem(item, [&](ValueId entry) {
            if (!m_progress.isCanceled()) readEntry(entry, device);
        });
        if (!isHost) ++device;
    });
}

bool SnapshotDecoder::readEntry(ValueId dict, int32_t device)
{
    if (!isFirstVisit(dict, "trace entry")) return false;
    MemoryEntryTable& out = m_out->entries;
    const size_t row = out.size();
    std::optional<MemoryAction> what;
    uint64_t address = 0, bytes = 0, stream = 0;
    std::optional<int64_t> time_ns;
    std::array<uint64_t, 2> poolId{};
    StringId metadata(0u), compile(0u);
    ValueId frames, forward;
    m_values.forEachEntry(dict, [&](std::string_view key, ValueId value) {
        if (key == "action")
            what = action(value);
        else if (key == "addr" || key == "device_free")
            address = size(value);
        else if (key == "size")
            bytes = size(value);
        else if (key == "stream")
            stream = size(value);
        else if (key == "time_us")
            time_ns = timestamp(value);
        else if (key == "frames")
            frames = value;
        else if (key == "forward_frames")
            forward = value;
        else if (key == "user_metadata")
            metadata = intern(value);
        else if (key == "compile_context")
            compile = compileContext(value);
        else if (key == "segment_pool_id" || key == "pool_id")
            poolId = pool(value);
        else
            noteUnknownKey(key);
    });
    if (!what) {
        skip("trace entry", "has no action");
        return false;
    }
    out.device.push_back(device);
    out.action.push_back(*what);
    out.address.push_back(address);
    out.size_bytes.push_back(bytes);
    out.stream.push_back(stream);
    out.stack.push_back(m_frames.stack(frames));
    m_untimed += !time_ns;
    out.time_ns.push_back(time_ns.value_or(m_lastTime_ns));
    setSparse(out.forwardStack, row, m_frames.stack(forward), MemoryStackId());
    setSparse(out.userMetadata, row, metadata, StringId(0u));
    setSparse(out.compileContext, row, compile, StringId(0u));
    setSparse(out.pool, row, poolId, std::array<uint64_t, 2>{});
    return true;
}

} // namespace lockstep
