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

#include <simdjson.h>

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

    // Reads the next object and calls `parse`, which returns false if it is damaged. Returns false at the end
    // of the text. `parse` gets the object, and must read it in one pass. Errors: io, canceled.
    template<class Parse>
    Result<bool> next(const Progress& progress, Parse&& parse)
    {
        std::string_view text;
        if (!LOCKSTEP_TRY(cut(text, progress))) return false;
        simdjson::ondemand::document document;
        simdjson::ondemand::object object;
        const simdjson::padded_string_view padded(text.data(), text.size(),
                                                  text.size() + simdjson::SIMDJSON_PADDING);
        const bool isGood = m_parser.iterate(padded).get(document) == simdjson::SUCCESS &&
                            document.get_object().get(object) == simdjson::SUCCESS && parse(object);
        noteIfDamaged(isGood);
        return true;
    }

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

    Result<bool> cut(std::string_view& object, const Progress& progress);
    Result<bool> findBegin(const Progress& progress);
    Status findEnd(const Progress& progress);
    Status skipLine(const Progress& progress);
    size_t lineEnd();
    Result<bool> fill(const Progress& progress);
    void noteIfDamaged(bool isGood);

    std::unique_ptr<TextSource> m_source;
    uint64_t m_stored_bytes = 0;
    simdjson::ondemand::parser m_parser{kLargest_bytes};
    std::string m_buffer; // the text from m_base on, followed by padding
    size_t m_size = 0;    // of the text in the buffer
    uint64_t m_base = 0;  // position of the buffer in the text
    size_t m_begin = 0;   // of the current object in the buffer
    size_t m_end = 0;     // after the current object
    static constexpr uint64_t kNoLine = ~uint64_t(0);
    uint64_t m_line = kNoLine;     // position of the next line break in the text
    uint64_t m_searched = 0;       // position up to which line breaks were searched
    bool m_isAtEnd = false;        // the source has no more text
    std::optional<uint64_t> m_cut; // position of an object in which the text ended
    uint64_t m_count = 0;
    uint64_t m_damaged = 0;
    uint64_t m_damagedInARow = 0;
    uint64_t m_firstDamaged = 0; // position in the text
    uint64_t m_tooLarge = 0;
    uint64_t m_firstTooLarge = 0;
};

} // namespace lockstep
