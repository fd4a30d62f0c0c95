// SPDX-License-Identifier: Apache-2.0
// TextSource: the uncompressed text of a file as UTF-8, read from start to end. The first bytes determine the
// format: gzip (any number of members), zstd (any number of frames), or uncompressed; UTF-16 and UTF-32 are
// converted. Created by WindowCutter and slice details; one thread at a time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "core/base/packed_index.h"
#include "core/base/result.h"

namespace lockstep {

class TextSource {
  public:
    static Result<std::unique_ptr<TextSource>> open(const std::filesystem::path& path);
    // Opens the text at an offset, starting from the last index point before it. `index` belongs to the same
    // file and may be nullptr.
    static Result<std::unique_ptr<TextSource>> openAt(const std::filesystem::path& path, uint64_t text_bytes,
                                                      const PackedIndex* index);
    virtual ~TextSource() = default;

    // Reads up to `size` bytes. Returns fewer bytes only at the end of the text, and 0 after the end. A
    // truncated or corrupt compressed stream ends early; defect() then returns the reason. Returns io on
    // operating system errors.
    virtual Result<size_t> read(char* out, size_t size) = 0;
    // Skips `size` bytes. Cheap for uncompressed files.
    virtual Status skip(uint64_t size);
    // Returns the number of stored bytes that were consumed so far, as a measure of progress.
    virtual uint64_t storedPosition() const = 0;
    // Returns the points at which decompression can start, for the part of the file that was read from its
    // start; empty for uncompressed files.
    PackedIndex takeIndex() { return std::move(m_index); }
    // Returns why the text ended prematurely; empty if the entire stream was decompressed.
    const std::string& defect() const { return m_defect; }

  protected:
    // Continues at a point of the index; call it before reading.
    virtual Status resume(const PackedPoint& point);

    std::string m_defect;
    PackedIndex m_index;
};

} // namespace lockstep
