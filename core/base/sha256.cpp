// SPDX-License-Identifier: Apache-2.0
#include "core/base/sha256.h"

#include <algorithm>
#include <array>

#include <nettle/base16.h>

#include "core/base/mapped_file.h"

namespace lockstep {

Sha256::Sha256()
{
    sha256_init(&m_context);
}

void Sha256::add(std::string_view bytes)
{
    sha256_update(&m_context, bytes.size(), reinterpret_cast<const uint8_t*>(bytes.data()));
}

std::string Sha256::hexDigest()
{
    std::array<uint8_t, SHA256_DIGEST_SIZE> digest;
    sha256_digest(&m_context, digest.size(), digest.data());
    std::string hex(BASE16_ENCODE_LENGTH(digest.size()), '\0');
    base16_encode_update(hex.data(), digest.size(), digest.data());
    return hex;
}

std::string Sha256::of(std::string_view text)
{
    Sha256 digest;
    digest.add(text);
    return digest.hexDigest();
}

Result<std::string> sha256OfFile(const std::filesystem::path& path, const Progress& progress)
{
    return sha256OfFiles({path}, progress);
}

Result<std::string> sha256OfFiles(const std::vector<std::filesystem::path>& paths, const Progress& progress)
{
    constexpr size_t kPiece = 4 << 20;
    Sha256 digest;
    for (const std::filesystem::path& path : paths) {
        const MappedFile file = LOCKSTEP_TRY(MappedFile::open(path));
        for (size_t at = 0; at < file.size(); at += kPiece) {
            LOCKSTEP_TRY(progress.check());
            digest.add(file.text().substr(at, kPiece));
            file.release(at, std::min(kPiece, file.size() - at));
        }
    }
    return digest.hexDigest();
}

} // namespace lockstep
