// SPDX-License-Identifier: Apache-2.0
// TextSource: the uncompressed text of a file, read from front to back. The kind is chosen by the first
// bytes: gzip (any number of members), zstd (any number of frames), else the file as it is. Made by
// WindowCutter and slice details; one thread at a time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "core/base/result.h"

namespace lockstep {

class TextSource {
  public:
    static Result<std::unique_ptr<TextSource>> open(const std::filesystem::path& path);
    virtual ~TextSource() = default;

    // Fills up to size bytes; fewer only at the end of the text, 0 when there is no more. A compressed stream
    // that is cut or broken ends early and says so in flaw(). io when the operating system refuses.
    virtual Result<size_t> read(char* out, size_t size) = 0;
    // Goes on `size` bytes further without delivering them. Cheap for plain files.
    virtual Status skip(uint64_t size);
    // Bytes of the file as stored that were used up so far: what progress is measured in.
    virtual uint64_t storedPosition() const = 0;
    // Why the text ended before its compressed stream did; empty when it did not.
    const std::string& flaw() const { return m_flaw; }

  protected:
    std::string m_flaw;
};

} // namespace lockstep
