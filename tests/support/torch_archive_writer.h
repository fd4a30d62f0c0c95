// SPDX-License-Identifier: Apache-2.0
// Writes archives like those of torch.save around a pickle, for tests: entries are stored, and their sizes
// and checksums follow them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <zlib.h>

namespace lockstep::test {

struct TorchEntry {
    bool hasDescriptor = true; // false: sizes and checksum are in the header, as other writers of zip do
    bool isZip64 = false;      // without a descriptor: the size is in the extra field
    uint16_t method = 0;
    uint32_t checksumError = 0;
};

inline std::string littleEndianText(uint64_t value, int width)
{
    std::string bytes;
    for (int i = 0; i < width; ++i)
        bytes += static_cast<char>(value >> (8 * i));
    return bytes;
}

// Returns an archive with NAME/data.pkl and an entry after it, without a central directory.
inline std::string torchArchiveOf(std::string_view pickle, const TorchEntry& entry = {})
{
    const std::string name = "12/data.pkl";
    const uint32_t checksum =
        static_cast<uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(pickle.data()), pickle.size())) ^
        entry.checksumError;
    std::string extra = std::string("FB\x0A", 3) + '\0' + std::string(10, 'Z'); // torch aligns entries
    if (entry.isZip64)
        extra += std::string("\x01\0\x10\0", 4) + littleEndianText(pickle.size(), 8) +
                 littleEndianText(pickle.size(), 8);
    const uint64_t size = entry.hasDescriptor ? 0 : entry.isZip64 ? 0xFFFF'FFFF : pickle.size();
    std::string bytes = std::string("PK\x03\x04\0\0", 6) +
                        littleEndianText(entry.hasDescriptor ? 0x0808 : 0, 2) +
                        littleEndianText(entry.method, 2) + std::string(4, '\0') +
                        littleEndianText(entry.hasDescriptor ? 0 : checksum, 4) + littleEndianText(size, 4) +
                        littleEndianText(size, 4) + littleEndianText(name.size(), 2) +
                        littleEndianText(extra.size(), 2) + name + extra;
    bytes += pickle;
    if (entry.hasDescriptor)
        bytes += "PK\x07\x08" + littleEndianText(checksum, 4) + littleEndianText(pickle.size(), 4) +
                 littleEndianText(pickle.size(), 4);
    return bytes + "PK\x03\x04" + std::string(64, 'x');
}

} // namespace lockstep::test
