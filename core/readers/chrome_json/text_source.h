// SPDX-License-Identifier: Apache-2.0
// TextSource: the uncompressed text of a file as UTF-8, read from front to back. The kind is chosen by the
// first bytes: gzip (any number of members), zstd (any number of frames), else the file as it is; text in
// UTF-16 or UTF-32 is converted. Made by
// WindowCutter and slice details; one thread at a time.
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
    // At a place of the text, from the last point of the index before it. index: of the same file, or
    // nullptr.
    static Result<std::unique_ptr<TextSource>> openAt(const std::filesystem::path& path, uint64_t text_bytes,
                                                      const PackedIndex* index);
    virtual ~TextSource() = default;

    // Fills up to size bytes; fewer only at the end of the text, 0 when there is no more. A compressed stream
    // that is cut or broken ends early and says so in flaw(). io when the operating system refuses.
    virtual Result<size_t> read(char* out, size_t size) = 0;
    // Goes on `size` bytes further without delivering them. Cheap for plain files.
    virtual Status skip(uint64_t size);
    // Bytes of the file as stored that were used up so far: what progress is measured in.
    virtual uint64_t storedPosition() const = 0;
    // Where the file can be unpacked from, as far as it was read from its begin; empty for plain files.
    PackedIndex takeIndex() { return std::move(m_index); }
    // Why the text ended before its compressed stream did; empty when it did not.
    const std::string& flaw() const { return m_flaw; }

  protected:
    // Goes on at a point of the index, before anything is read.
    virtual Status resume(const PackedPoint& point);

    std::string m_flaw;
    PackedIndex m_index;
};

} // namespace lockstep
