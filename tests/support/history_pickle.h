// SPDX-License-Identifier: Apache-2.0
// Writes the pickle of an allocator snapshot of any length, like torch.cuda.memory._dump_snapshot(): protocol
// 4 in frames, keys and stacks shared through the memo, a separate text "N/A" and pool tuple for every entry.
// Bytes are written in pieces, so that a gigabyte needs no memory.
#pragma once

#include <cstdint>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/trace/memory_snapshot_table.h"

namespace lockstep::test {

class HistoryPickle {
  public:
    explicit HistoryPickle(const std::string& path) : m_file(path, std::ios::binary) { m_file << "\x80\x04"; }

    // Writes the history of one device, and a dump in which each reserved segment is one block, in use if it
    // was allocated and not freed. Returns false if the file could not be written.
    bool write(const MemorySnapshot& snapshot)
    {
        m_stacks.assign(snapshot.stackCount(), kNone);
        m_frames.assign(snapshot.frames.size(), kNone);
        op("}\x94(");
        writeSegments(snapshot);
        key("device_traces").op("]\x94(]\x94");
        const MemoryEntryTable& entries = snapshot.entries;
        constexpr size_t kBatch = 1000; // value used by Python
        m_memo += 2;
        for (size_t row = 0; row < entries.size(); ++row) {
            if (row % kBatch == 0) op("(");
            writeEntry(snapshot, row);
            if (row % kBatch + 1 == kBatch || row + 1 == entries.size()) op("e");
        }
        op("eu.").flush();
        m_file.close();
        return m_file.good();
    }

  private:
    static constexpr uint32_t kNone = 0xFFFFFFFFu;
    static constexpr size_t kFrame_bytes = 64 * 1024;

    HistoryPickle& op(std::string_view bytes)
    {
        m_bytes += bytes;
        return *this;
    }
    void little(uint64_t value, int width)
    {
        for (int i = 0; i < width; ++i)
            m_bytes += static_cast<char>(value >> (8 * i));
    }
    void flush()
    {
        const std::string content = std::move(m_bytes);
        m_bytes = "\x95";
        little(content.size(), 8);
        m_file << m_bytes << content;
        m_bytes.clear();
    }
    void get(uint32_t index)
    {
        m_bytes += index < 256 ? 'h' : 'j';
        little(index, index < 256 ? 1 : 4);
    }
    HistoryPickle& own(std::string_view text)
    {
        m_bytes += '\x8C';
        m_bytes += static_cast<char>(text.size());
        m_bytes += text;
        m_bytes += '\x94';
        ++m_memo;
        return *this;
    }
    HistoryPickle& key(const std::string& text)
    {
        const auto [at, isNew] = m_texts.try_emplace(text, m_memo);
        if (isNew) return own(text);
        get(at->second);
        return *this;
    }
    HistoryPickle& number(uint64_t value)
    {
        if (value < 65536) {
            m_bytes += value < 256 ? 'K' : 'M';
            little(value, value < 256 ? 1 : 2);
        } else if (value < 0x80000000u) {
            m_bytes += 'J';
            little(value, 4);
        } else {
            int width = 4;
            while (width < 8 && value >> (8 * width - 1) != 0)
                ++width;
            m_bytes += '\x8A';
            m_bytes += static_cast<char>(width);
            little(value, width);
        }
        return *this;
    }

    void stack(const MemorySnapshot& snapshot, MemoryStackId id)
    {
        if (m_stacks[id.value] != kNone) return get(m_stacks[id.value]);
        m_stacks[id.value] = m_memo++;
        op("]\x94(");
        for (const MemoryFrameId frame : snapshot.stack(id)) {
            if (m_frames[frame.value] != kNone) {
                get(m_frames[frame.value]);
                continue;
            }
            m_frames[frame.value] = m_memo++;
            const std::string number_text = std::to_string(frame.value);
            op("}\x94(").key("name").own("function_" + number_text);
            key("filename")
                .key("/opt/python/site-packages/torch/nn/modules/part_" + std::to_string(frame.value % 100) +
                     ".py");
            key("line").number(frame.value).op("u");
        }
        op("e");
    }

    void writeSegments(const MemorySnapshot& snapshot)
    {
        const MemoryEntryTable& entries = snapshot.entries;
        std::map<uint64_t, size_t> segments, live;
        for (size_t row = 0; row < entries.size(); ++row) {
            if (entries.action[row] == MemoryAction::segmentAlloc) segments[entries.address[row]] = row;
            if (entries.action[row] == MemoryAction::alloc) live[entries.address[row]] = row;
            if (entries.action[row] == MemoryAction::freeCompleted) live.erase(entries.address[row]);
        }
        m_memo = 1;
        key("segments").op("]\x94");
        ++m_memo;
        for (const auto& [address, row] : segments) {
            const uint64_t size = entries.size_bytes[row];
            const auto block = live.find(address);
            const bool isLive = block != live.end();
            ++m_memo;
            op("}\x94(").key("device").number(0).key("address").number(address);
            key("total_size").number(size).key("allocated_size").number(isLive ? size : 0);
            key("stream").number(0).key("segment_type").key("large").key("blocks").op("]\x94");
            m_memo += 2;
            op("}\x94(").key("address").number(address).key("size").number(size);
            key("requested_size").number(isLive ? entries.size_bytes[block->second] : 0);
            key("state").key(isLive ? "active_allocated" : "inactive").key("frames");
            stack(snapshot, entries.stack[isLive ? block->second : row]);
            op("uaua");
            if (m_bytes.size() > kFrame_bytes) flush();
        }
    }

    void writeEntry(const MemorySnapshot& snapshot, size_t row)
    {
        const MemoryEntryTable& entries = snapshot.entries;
        static const std::map<MemoryAction, std::string> kWords{
            {MemoryAction::alloc, "alloc"},
            {MemoryAction::freeRequested, "free_requested"},
            {MemoryAction::freeCompleted, "free_completed"},
            {MemoryAction::segmentAlloc, "segment_alloc"}};
        constexpr uint64_t kBegin_us = 1'754'643'471'000'000;
        ++m_memo;
        op("}\x94(").key("action").key(kWords.at(entries.action[row]));
        key("addr").number(entries.address[row]).key("size").number(entries.size_bytes[row]);
        key("stream").number(entries.stream[row]).key("time_us").number(kBegin_us + row * 2);
        key("compile_context").own("N/A").key("user_metadata").key("");
        key("segment_pool_id").number(0).number(0).op("\x86\x94").key("frames");
        ++m_memo;
        stack(snapshot, entries.stack[row]);
        op("u");
        if (m_bytes.size() > kFrame_bytes) flush();
    }

    std::ofstream m_file;
    std::string m_bytes; // bytes of the open frame
    uint32_t m_memo = 0;
    std::map<std::string, uint32_t> m_texts;
    std::vector<uint32_t> m_stacks, m_frames;
};

} // namespace lockstep::test
