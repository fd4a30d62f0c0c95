// SPDX-License-Identifier: Apache-2.0
// JsonRecords: the top-level JSON objects of a text file, one after the other: one per line (JSONL), in an
// array, or a single object over many lines; compressed or not. Memory is bounded by the largest object.
// Damaged objects are skipped and counted in notes. Used by readers of records; one thread.
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

class JsonRecords {
  public:
    // Larger objects are skipped, because they could exhaust memory.
    static constexpr size_t kLargest_bytes = 64 * 1024 * 1024;
    // Reading stops after this many damaged objects in a row.
    static constexpr uint64_t kMaxDamaged = 1'000;

    static Result<JsonRecords> open(const std::filesystem::path& path);

    // Text of an object is followed by this many readable bytes, as simdjson needs them.
    static constexpr size_t kPadding = 64;

    // Reads the next object; `object` is valid until the next call, and empty for an object that is too
    // large. Returns false at the end of the text. Errors: io, canceled.
    Result<bool> next(std::string_view& object, const Progress& progress);
    // Counts the current object as damaged.
    void reject();

    // Returns the position of the object, or of a part of it, in the uncompressed text.
    uint64_t offset() const { return m_base + m_begin; }
    uint64_t offsetOf(const char* in) const { return m_base + uint64_t(in - m_buffer.data()); }
    uint64_t count() const { return m_count; }     // objects so far, damaged ones included
    uint64_t damaged() const { return m_damaged; } // damaged ones among them
    // Adds notes about damaged and missing objects. Call it at the end.
    void addNotes(ImportNotes& notes) const;

  private:
    explicit JsonRecords(std::unique_ptr<TextSource> source, uint64_t stored_bytes)
        : m_source(std::move(source)), m_stored_bytes(stored_bytes)
    {
    }

    Result<bool> findBegin(const Progress& progress);
    Status findEnd(const Progress& progress);
    Status endLine(const Progress& progress);
    Result<bool> fill(const Progress& progress);

    std::unique_ptr<TextSource> m_source;
    uint64_t m_stored_bytes = 0;
    std::string m_buffer;          // the text from m_base on, followed by padding
    size_t m_size = 0;             // of the text in the buffer
    uint64_t m_base = 0;           // position of the buffer in the text
    size_t m_begin = 0;            // of the current object in the buffer
    size_t m_end = 0;              // after the current object
    bool m_isAtEnd = false;        // the source has no more text
    std::optional<uint64_t> m_cut; // position of an object in which the text ended
    uint64_t m_count = 0;
    uint64_t m_damaged = 0;
    uint64_t m_damagedInARow = 0;
    bool m_isRejected = false;   // the current object is damaged
    uint64_t m_firstDamaged = 0; // position in the text
    uint64_t m_tooLarge = 0;
    uint64_t m_firstTooLarge = 0;
};

} // namespace lockstep
