// SPDX-License-Identifier: Apache-2.0
// Block files: named blocks of bytes behind each other, each saying whose it is, what type and coding it has
// and how many rows, with a checksum; what .lockstep files are made of. The layout to the byte:
// core/readers/workspace_file/FORMAT.md. A block's meaning is its owner's; who does not know a name passes
// over it. BlockWriter: one thread. BlockFile: immutable, any thread.
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

// A block begins at a multiple of this, so that its rows can be used where they lie.
inline constexpr size_t kBlockAlignment = 64;
inline constexpr std::string_view kBlockFileMagic{"\x89LkSt\r\n\x1a", 8};

struct Block {
    static constexpr uint32_t kOfAll = 0xFFFFFFFFu;

    uint32_t owner = kOfAll; // a number of a report, or of the whole file
    std::string name = {};   // unique for its owner: "slice.start"
    std::string type = {};   // of a row: "i64"
    std::string coding = {}; // of the bytes: "raw", "chunks", "zstd"
    uint64_t rows = 0;
    uint64_t offset_bytes = 0; // in the file
    uint64_t size_bytes = 0;   // as stored
    uint64_t checksum = 0;     // XXH3, 64 bits, of the stored bytes
};

uint64_t checksumOf(std::string_view bytes);

class BlockWriter {
  public:
    // `format` is what a reader must know to make sense of the file. The file must be empty, and outlive
    // this. Failed writes are told by its commit().
    BlockWriter(OutputFile& file, uint32_t format);
    // Goes on with a file whose first kBlockAlignment bytes were left free; nothing else may be added to it
    // meanwhile. Of columns that lie in it already only where they are is written. Failed writes are told by
    // its status().
    BlockWriter(SpillFile& file, uint32_t format);

    // owner, name, type, coding and rows as they are to be stored; the rest is found.
    void add(Block block, std::string_view bytes);
    // The same of several pieces behind each other.
    void add(Block block, std::span<const std::string_view> pieces);
    // Writes what says where the blocks are. Nothing can be added any more.
    void finish();

  private:
    void write(std::string_view bytes);
    void align();

    OutputFile* m_file = nullptr; // one of the two
    SpillFile* m_spill = nullptr;
    uint64_t m_written_bytes = 0;
    std::vector<Block> m_blocks;
};

class BlockFile {
  public:
    // corrupt when the file is cut short or its directory is damaged or leads out of the file; the blocks
    // themselves are not looked at yet. Errors of the file as MappedFile::open().
    // limit: where its pages count; may be null.
    static Result<std::shared_ptr<const BlockFile>> open(const std::filesystem::path& path,
                                                         std::shared_ptr<ResidentLimit> limit = {});
    // The same from bytes, which must outlive the object.
    static Result<std::shared_ptr<const BlockFile>> openBytes(std::string_view bytes);
    // The number behind the magic; 0 where the bytes are no block file. Looks at the first 12 bytes.
    static uint32_t formatOf(std::string_view head);

    uint32_t format() const { return m_format; }
    size_t size_bytes() const { return m_bytes.size(); }
    std::span<const Block> blocks() const { return m_blocks; }
    std::string_view bytesOf(const Block& block) const
    {
        return m_bytes.substr(block.offset_bytes, block.size_bytes);
    }
    // corrupt with the block's name when its bytes are not those that were written. Reads all of them.
    Status verify(const Block& block) const;

  private:
    BlockFile() = default;
    Status readDirectory();

    std::unique_ptr<MappedFile> m_file; // null where the bytes are another's
    std::string_view m_bytes;
    uint32_t m_format = 0;
    std::vector<Block> m_blocks;
};

} // namespace lockstep
