// SPDX-License-Identifier: Apache-2.0
// Block files: named blocks of bytes with an owner, a type, a coding, a row count and a checksum. A .lockstep
// file is a block file; core/readers/workspace_file/FORMAT.md specifies the layout. Each owner interprets its
// own blocks; readers skip blocks with unknown names. BlockWriter is used by one thread. BlockFile is
// immutable; any thread may use it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/mapped_file.h"
#include "core/base/output_file.h"
#include "core/base/result.h"
#include "core/base/spill_file.h"

namespace lockstep {

// Blocks start at a multiple of this offset, so that their rows can be used in place.
inline constexpr size_t kBlockAlignment = 64;
inline constexpr std::string_view kBlockFileMagic{"\x89LkSt\r\n\x1a", 8};

struct Block {
    static constexpr uint32_t kWholeFile = 0xFFFFFFFFu;

    uint32_t owner = kWholeFile; // report ID, or kWholeFile for the entire file
    std::string name = {};       // unique within its owner, for example "slice.start"
    std::string type = {};       // type of a row, for example "i64"
    std::string coding = {};     // "raw", "chunks" or "zstd"
    uint64_t rows = 0;
    uint64_t offset_bytes = 0; // position in the file
    uint64_t size_bytes = 0;   // stored size
    uint64_t checksum = 0;     // 64-bit XXH3 of the stored bytes
};

uint64_t checksumOf(std::string_view bytes);

class BlockWriter {
  public:
    // Writes to `file`, which must be empty and outlive this object. `format` is the format version that a
    // reader must support. Failed writes are reported by commit() of the file.
    BlockWriter(OutputFile& file, uint32_t format);
    // Continues a file whose first kBlockAlignment bytes were reserved; nothing else may be appended to the
    // file meanwhile. For columns that are already in the file, writes only their positions. Failed writes
    // are reported by status() of the file.
    BlockWriter(SpillFile& file, uint32_t format);

    // Adds a block. The caller sets owner, name, type, coding and rows; the writer fills in the rest.
    void add(Block block, std::string_view bytes);
    // Adds a block whose bytes are the concatenation of `pieces`.
    void add(Block block, std::span<const std::string_view> pieces);
    // Writes the directory and the trailer. No blocks can be added afterwards.
    void finish();

  private:
    void write(std::string_view bytes);
    void align();

    OutputFile* m_file = nullptr; // exactly one of m_file and m_spill is set
    SpillFile* m_spill = nullptr;
    uint64_t m_written_bytes = 0;
    std::vector<Block> m_blocks;
};

class BlockFile {
  public:
    // Opens a block file. Returns corrupt if the file is truncated, or if its directory is corrupt or points
    // outside the file; block contents are not checked yet. Other errors are those of MappedFile::open().
    // `limit` counts the mapped pages and may be null.
    static Result<std::shared_ptr<const BlockFile>> open(const std::filesystem::path& path,
                                                         std::shared_ptr<ResidentLimit> limit = {});
    // Opens a block file in memory. `bytes` must outlive the object.
    static Result<std::shared_ptr<const BlockFile>> openBytes(std::string_view bytes);

    uint32_t format() const { return m_format; }
    size_t size_bytes() const { return m_bytes.size(); }
    std::span<const Block> blocks() const { return m_blocks; }
    std::string_view bytesOf(const Block& block) const
    {
        return m_bytes.substr(block.offset_bytes, block.size_bytes);
    }
    // Verifies the checksum of a block. Returns corrupt, with the block's name, if the bytes do not match it.
    // Reads all bytes of the block.
    Status verify(const Block& block) const;

  private:
    BlockFile() = default;
    Status readDirectory();

    std::unique_ptr<MappedFile> m_file; // null if the caller owns the bytes
    std::string_view m_bytes;
    uint32_t m_format = 0;
    std::vector<Block> m_blocks;
};

} // namespace lockstep
