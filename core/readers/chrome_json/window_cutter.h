// SPDX-License-Identifier: Apache-2.0
// WindowCutter cuts the events of a trace file into windows of about 1 MB that start and end between events,
// so that workers can parse them independently and the input stays in cache. It buffers at most one window
// and the rest of the previous one. One thread at a time: workers take turns under the reader's lock, so that
// the next window is read and decompressed while the others parse.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/base/growing_bytes.h"
#include "core/base/progress.h"
#include "core/readers/chrome_json/outer_text.h"
#include "core/readers/text_source.h"
#include "core/trace/import_notes.h"

namespace lockstep {

// Complete elements of the event array, with a [ before and a ] after them. Windows are reused, so keep one
// per worker.
struct Window {
    GrowingBytes buffer; // kPadding readable bytes follow the text
    size_t begin = 0;    // offset of the [ in the buffer
    size_t size = 0;     // size, including both brackets
    uint64_t offset = 0; // offset, in the uncompressed text, of the byte after the [

    static constexpr size_t kPadding = 64;
    const char* text() const { return buffer.data() + begin; }
    // Returns the offset of a place in the window, as an offset in the uncompressed text.
    uint64_t offsetOf(const char* place) const { return offset + static_cast<uint64_t>(place - text()) - 1; }
};

class WindowCutter {
  public:
    static constexpr size_t kWindow = 1024 * 1024;
    static constexpr size_t kLargestEvent = 32 * 1024 * 1024;

    explicit WindowCutter(std::unique_ptr<TextSource> source, size_t windowSize = kWindow);

    // Cuts the next window. Returns false if there are no more events. The only possible errors are io and
    // canceled. A truncated or corrupt file ends early, with a note. If the structure is corrupt, windows
    // start and end at text that looks like events.
    Result<bool> next(Window& window, const Progress& progress);

    // The values of the following functions are complete once next() has returned false.
    const OuterText& outer() const { return m_outer; }
    const ImportNotes& notes() const { return m_notes; }
    uint64_t storedPosition() const { return m_source->storedPosition(); }
    PackedIndex takeIndex() { return m_source->takeIndex(); }
    // Returns the size of the uncompressed text that was read so far.
    uint64_t textSize() const { return m_bufferOffset + m_filled; }
    // Returns the number of bytes between the first and the last event: all windows and the separators
    // between them.
    uint64_t eventBytes() const { return m_eventBytes; }

  private:
    enum class Step { window, again, more, stop };

    // The elements that end in rest(), and the position after them at which the event array closes.
    struct Section {
        size_t end = 0;
        std::optional<size_t> closeAt;
    };

    Status readMore(Window& window, size_t atLeast, const Progress& progress);
    void scanOuterText();
    Step cutEvents(Window& window);
    Section findSection() const;
    bool canClose(size_t at) const;
    Step finishWindow(Window& window, size_t size);
    void skipSeparators();
    void finish();
    std::string_view rest() const { return {m_text + m_position, m_filled - m_position}; }

    std::unique_ptr<TextSource> m_source;
    size_t m_windowSize;
    OuterText m_outer;
    ImportNotes m_notes;
    std::string m_carry; // text that was read but comes after the end of the last window
    uint64_t m_eventBytes = 0;
    uint64_t m_bufferOffset = 0; // offset of m_text[0] in the uncompressed text
    char* m_text = nullptr;      // the window's buffer, while next() runs
    size_t m_position = 0;       // first unused byte of m_text
    size_t m_filled = 0;         // number of bytes in m_text
    bool m_hasLines = false;     // events are lines of their own, without an array
    bool m_sourceEnded = false;
    bool m_finished = false;
};

} // namespace lockstep
