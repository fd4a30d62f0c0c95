// SPDX-License-Identifier: Apache-2.0
// JsonRecords: the top-level JSON objects of a text file, one after the other: one per line (JSONL), in an
// array, or a single object over many lines; compressed or not. Memory is bounded by the largest object.
// Damaged objects are skipped and counted in notes. Used by readers of records; one thread.
//
// A recording may be divided into several files, each of which is read by one JsonRecords. RecordPosition
// tells their objects apart.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/progress.h"
#include "core/readers/text_source.h"
#include "core/trace/import_notes.h"

namespace lockstep {

// The position of an object: the index of its file among those of the recording, and the offset in the
// uncompressed text of that file.
struct RecordPosition {
    static constexpr int kOffsetBits = 40; // texts are shorter than 1 TB
    static constexpr size_t kMaxParts = size_t(1) << 16;

    size_t part = 0;
    uint64_t offset_bytes = 0;

    static RecordPosition of(uint64_t packed)
    {
        return {size_t(packed >> kOffsetBits), packed & ((uint64_t(1) << kOffsetBits) - 1)};
    }
    uint64_t packed() const { return (uint64_t(part) << kOffsetBits) | offset_bytes; }
    // Returns "byte 17", or "byte 17 of file 3" for a file after the first.
    std::string text() const;
};

class JsonRecords {
  public:
    // Larger objects are skipped, because they could exhaust memory.
    static constexpr size_t kLargest_bytes = 64 * 1024 * 1024;
    // Reading stops after this many damaged objects in a row.
    static constexpr uint64_t kMaxDamaged = 1'000;

    // `part`: index of the file in its recording.
    static Result<JsonRecords> open(const std::filesystem::path& path, size_t part = 0);

    // Text of an object is followed by this many readable bytes, as simdjson needs them.
    static constexpr size_t kPadding = 64;

    // Reads the next object; `object` is valid until the next call, and empty for an object that is too
    // large. Returns false at the end of the text. Errors: io, canceled.
    Result<bool> next(std::string_view& object, const Progress& progress);
    // Counts the current object as damaged.
    void reject();

    // Returns the packed RecordPosition of the object, or of a part of it.
    uint64_t position() const { return positionAt(m_begin); }
    uint64_t positionOf(const char* in) const { return positionAt(size_t(in - m_buffer.data())); }
    uint64_t count() const { return m_count; }     // objects so far, damaged ones included
    uint64_t damaged() const { return m_damaged; } // damaged ones among them
    // Adds notes about damaged and missing objects, with positions in this file. Call it at the end.
    void addNotes(ImportNotes& notes) const;

  private:
    JsonRecords(std::unique_ptr<TextSource> source, uint64_t stored_bytes, size_t part)
        : m_source(std::move(source)), m_stored_bytes(stored_bytes), m_part(part)
    {
    }

    uint64_t positionAt(size_t inBuffer) const { return RecordPosition{m_part, m_base + inBuffer}.packed(); }

    Result<bool> findBegin(const Progress& progress);
    Status findEnd(const Progress& progress);
    Status endLine(const Progress& progress);
    Result<bool> fill(const Progress& progress);

    std::unique_ptr<TextSource> m_source;
    uint64_t m_stored_bytes = 0;
    size_t m_part = 0;
    std::string m_buffer;          // the text from m_base on, followed by padding
    size_t m_size = 0;             // of the text in the buffer
    uint64_t m_base = 0;           // position of the buffer in the text
    size_t m_begin = 0;            // of the current object in the buffer
    size_t m_end = 0;              // after the current object
    bool m_isAtEnd = false;        // the source has no more text
    std::optional<uint64_t> m_cut; // packed position of an object in which the text ended
    uint64_t m_count = 0;
    uint64_t m_damaged = 0;
    uint64_t m_damagedInARow = 0;
    bool m_isRejected = false;   // the current object is damaged
    uint64_t m_firstDamaged = 0; // packed position
    uint64_t m_tooLarge = 0;
    uint64_t m_firstTooLarge = 0; // packed position
};

} // namespace lockstep
