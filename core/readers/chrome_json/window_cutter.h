// SPDX-License-Identifier: Apache-2.0
// WindowCutter: cuts the events of a trace file into windows of about 1 MB that begin and end at event
// borders, so that workers parse them apart and the input stays in cache. It never holds more than one window
// and the rest of the last one. One thread at a time: workers take turns under the reader's lock, so that the
// next window is read and unpacked while the others parse.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/base/growing_bytes.h"
#include "core/base/progress.h"
#include "core/readers/chrome_json/outer_text.h"
#include "core/readers/chrome_json/text_source.h"
#include "core/trace/import_notes.h"

namespace lockstep {

// Whole elements of the events' array with a [ before and a ] after them. Reused: keep one for each worker.
struct Window {
    GrowingBytes buffer; // kPadding readable bytes stay behind the text
    size_t begin = 0;    // the [ stands at buffer[begin]
    size_t size = 0;     // with both brackets
    uint64_t offset = 0; // of the byte after the [ in the uncompressed text

    static constexpr size_t kPadding = 64;
    const char* text() const { return buffer.data() + begin; }
    // Offset in the uncompressed text of a place in the window.
    uint64_t offsetOf(const char* place) const { return offset + static_cast<uint64_t>(place - text()) - 1; }
};

class WindowCutter {
  public:
    static constexpr size_t kWindow = 1024 * 1024;
    static constexpr size_t kLargestEvent = 32 * 1024 * 1024;

    explicit WindowCutter(std::unique_ptr<TextSource> source, size_t windowSize = kWindow);

    // False when there are no more events. io and canceled are the only errors. A cut or broken file ends
    // early, with a note; where the structure is damaged, windows begin and end at what looks like events.
    Result<bool> next(Window& window, const Progress& progress);

    // All of these are complete once next() returned false.
    const OuterText& outer() const { return m_outer; }
    const ImportNotes& notes() const { return m_notes; }
    uint64_t storedPosition() const { return m_source->storedPosition(); }
    PackedIndex takeIndex() { return m_source->takeIndex(); }
    // Size of the uncompressed text up to where reading ended.
    uint64_t textSize() const { return m_bufferOffset + m_filled; }
    // Bytes between the first and the last event, all windows and what separates them.
    uint64_t eventBytes() const { return m_eventBytes; }

  private:
    enum class Step { window, again, more, stop };

    // Elements that end in rest(), and where the events' array closes behind them.
    struct Stretch {
        size_t end = 0;
        std::optional<size_t> closeAt;
    };

    Status readMore(Window& window, size_t atLeast, const Progress& progress);
    void takeOuter();
    Step takeEvents(Window& window);
    Stretch findStretch() const;
    bool canClose(size_t at) const;
    Step give(Window& window, size_t size);
    void skipSeparators();
    void finish();
    std::string_view rest() const { return {m_text + m_position, m_filled - m_position}; }

    std::unique_ptr<TextSource> m_source;
    size_t m_windowSize;
    OuterText m_outer;
    ImportNotes m_notes;
    std::string m_carry; // read, but behind the last window's border
    uint64_t m_eventBytes = 0;
    uint64_t m_bufferOffset = 0; // of m_text[0] in the uncompressed text
    char* m_text = nullptr;      // the window's buffer, while next() runs
    size_t m_position = 0;       // first byte of m_text that is not used up
    size_t m_filled = 0;         // bytes of m_text
    bool m_sourceEnded = false;
    bool m_finished = false;
};

} // namespace lockstep
