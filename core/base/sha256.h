// SPDX-License-Identifier: Apache-2.0
// Sha256: the digest that identifies an input's exact bytes in inventories and provenance (FIPS 180-4),
// computed by nettle. One object per digest, one thread.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <nettle/sha2.h>

#include "core/base/progress.h"

namespace lockstep {

class Sha256 {
  public:
    Sha256();

    void add(std::string_view bytes);
    // Returns 64 lower-case hexadecimal digits. The object must not be used afterwards.
    std::string hexDigest();

    // Returns the digest of a string.
    static std::string of(std::string_view text);

  private:
    sha256_ctx m_context;
};

// Returns the digest of the stored bytes of a file. Errors: notFound, io, canceled.
Result<std::string> sha256OfFile(const std::filesystem::path& path, const Progress& progress);
// Returns the digest of the bytes of several files, one after the other.
Result<std::string> sha256OfFiles(const std::vector<std::filesystem::path>& paths, const Progress& progress);

} // namespace lockstep
