// SPDX-License-Identifier: Apache-2.0
#include "core/readers/pickle/torch_archive.h"

#include <cstring>

#include <zlib.h>

namespace lockstep {

namespace {

// Header of an entry: zip's APPNOTE.TXT, 4.3.7 (local file header), 4.3.9 (data descriptor), 4.5.3 (zip64).
constexpr std::string_view kHeader = "PK\x03\x04", kDescriptor = "PK\x07\x08";
constexpr size_t kHeader_bytes = 30;
constexpr uint64_t kIsEncrypted = 1, kHasDescriptor = 8;
constexpr uint64_t kZip64 = 0xFFFF'FFFF, kZip64Field = 1;

uint64_t littleEndian(std::string_view bytes, size_t at, size_t width)
{
    uint64_t value = 0;
    for (size_t i = 0; i < width && at + i < bytes.size(); ++i)
        value |= uint64_t(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
    return value;
}

std::string_view nameOf(std::string_view head)
{
    if (!head.starts_with(kHeader) || head.size() < kHeader_bytes) return {};
    return head.substr(kHeader_bytes, littleEndian(head, 26, 2));
}

// Returns the size of an entry that is stated in the extra field for sizes above 4 GB.
std::optional<uint64_t> largeSize_bytes(std::string_view extra)
{
    while (extra.size() >= 4) {
        const size_t size = littleEndian(extra, 2, 2);
        if (littleEndian(extra, 0, 2) == kZip64Field && size >= 8 && extra.size() >= 12)
            return littleEndian(extra, 4, 8);
        extra.remove_prefix(std::min(extra.size(), 4 + size));
    }
    return std::nullopt;
}

} // namespace

bool isTorchArchive(std::string_view head)
{
    return nameOf(head).ends_with("/data.pkl");
}

Result<TorchArchive> torchArchive(std::string_view bytes)
{
    const uint64_t flags = littleEndian(bytes, 6, 2);
    const size_t name = littleEndian(bytes, 26, 2), extra = littleEndian(bytes, 28, 2);
    if (!isTorchArchive(bytes) || bytes.size() < kHeader_bytes + name + extra)
        return makeError(ErrorKind::corrupt, "cut short in its first header; copy it again",
                         HelpTopic::truncatedFile);
    if ((flags & kIsEncrypted) != 0 || littleEndian(bytes, 8, 2) != 0)
        return makeError(
            ErrorKind::unsupported,
            "data.pkl is compressed or encrypted, which torch.save never does; unpack the archive "
            "and pack it again without compression (unzip, then zip -0 -r)");
    TorchArchive archive;
    archive.pickle = bytes.substr(kHeader_bytes + name + extra);
    if ((flags & kHasDescriptor) != 0) return archive;
    archive.checksum = static_cast<uint32_t>(littleEndian(bytes, 14, 4));
    archive.size_bytes = littleEndian(bytes, 22, 4);
    if (archive.size_bytes == kZip64)
        archive.size_bytes = largeSize_bytes(bytes.substr(kHeader_bytes + name, extra));
    if (archive.size_bytes) archive.pickle = archive.pickle.substr(0, *archive.size_bytes);
    return archive;
}

TorchDamage damageOf(const TorchArchive& archive, const Pickle& pickle)
{
    if (pickle.isCut) {
        const bool isWhole = archive.size_bytes && *archive.size_bytes == archive.pickle.size();
        return isWhole ? TorchDamage::altered : TorchDamage::cut;
    }
    const std::string_view rest = archive.pickle.substr(pickle.end_bytes);
    std::optional<uint32_t> checksum = archive.checksum;
    if (!archive.size_bytes) {
        if (rest.size() < kDescriptor.size() + 4) return TorchDamage::none; // cut after the pickle
        if (!rest.starts_with(kDescriptor)) return TorchDamage::altered;
        checksum = static_cast<uint32_t>(littleEndian(rest, kDescriptor.size(), 4));
    } else if (pickle.end_bytes != *archive.size_bytes) {
        return TorchDamage::altered;
    }
    const auto* const data = reinterpret_cast<const Bytef*>(archive.pickle.data());
    const bool isEqual = !checksum || crc32_z(0, data, pickle.end_bytes) == *checksum;
    return isEqual ? TorchDamage::none : TorchDamage::altered;
}

} // namespace lockstep
