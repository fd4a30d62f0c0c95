// SPDX-License-Identifier: Apache-2.0
#include "core/readers/same_content.h"

#include <map>
#include <tuple>

#include <zstd.h>

#include "core/base/sha256.h"
#include "core/readers/chrome_json/text_source.h"
#include "core/readers/identity/file_identity.h"

namespace lockstep {

namespace {

std::string claimOf(const std::filesystem::path& path)
{
    const Identity identity = identityFromPath(path);
    std::string claim;
    const auto add = [&](const auto& part) {
        claim += part.value ? std::to_string(*part.value) + "|" : std::string("|");
    };
    add(identity.rank);
    add(identity.pid);
    add(identity.step);
    add(identity.captureIndex);
    add(identity.replica);
    return claim + identity.role.value.value_or("") + "|" + identity.stage.value.value_or("") + "|" +
           identity.host.value.value_or("");
}

Result<std::string> contentDigest(const std::filesystem::path& path, const Progress& progress)
{
    const auto source = LOCKSTEP_TRY(TextSource::open(path));
    Sha256 digest;
    std::string block(1 << 20, '\0');
    for (;;) {
        LOCKSTEP_TRY(progress.check());
        const size_t got = LOCKSTEP_TRY(source->read(block.data(), block.size()));
        if (got == 0) break;
        digest.add(std::string_view(block).substr(0, got));
    }
    return digest.hexDigest();
}

} // namespace

std::optional<uint64_t> recordedSize_bytes(const FileSniff& file)
{
    if (file.head.starts_with("\x28\xB5\x2F\xFD")) {
        const auto size = ZSTD_getFrameContentSize(file.head.data(), file.head.size());
        const bool isStated = size != ZSTD_CONTENTSIZE_UNKNOWN && size != ZSTD_CONTENTSIZE_ERROR;
        return isStated ? std::optional<uint64_t>(size) : std::nullopt;
    }
    if (!file.head.starts_with("\x1F\x8B")) return file.size_bytes;
    if (file.tail.size() < 4) return std::nullopt;
    uint64_t recorded_bytes = 0;
    for (size_t i = 0; i < 4; ++i)
        recorded_bytes |= uint64_t(static_cast<unsigned char>(file.tail[file.tail.size() - 4 + i]))
                          << (8 * i);
    return recorded_bytes;
}

ContentFingerprint contentFingerprint(const FileSniff& file)
{
    constexpr uint64_t kModulus = uint64_t(1) << 32; // gzip records sizes modulo this value
    return {file.path, recordedSize_bytes(file).value_or(0) % kModulus, Sha256::of(file.text),
            claimOf(file.path)};
}

Result<std::vector<std::optional<size_t>>> firstWithSameContent(const std::vector<ContentFingerprint>& files,
                                                                const Progress& progress)
{
    std::map<std::tuple<uint64_t, std::string, std::string>, std::vector<size_t>> alike;
    for (size_t i = 0; i < files.size(); ++i) {
        if (files[i].unpacked_bytes > 0)
            alike[{files[i].unpacked_bytes, files[i].head, files[i].claim}].push_back(i);
    }
    std::vector<std::optional<size_t>> firsts(files.size());
    for (const auto& [sign, indices] : alike) {
        if (indices.size() < 2) continue;
        std::map<std::string, size_t> firstOfDigest;
        for (const size_t i : indices) {
            const auto digest = contentDigest(files[i].path, progress);
            LOCKSTEP_TRY(progress.check());
            if (!digest) continue;
            const auto [known, isNew] = firstOfDigest.try_emplace(*digest, i);
            if (!isNew) firsts[i] = known->second;
        }
    }
    return firsts;
}

} // namespace lockstep
