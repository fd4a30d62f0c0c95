// SPDX-License-Identifier: Apache-2.0
#include "core/base/block_file.h"

#include <array>
#include <bit>
#include <cstring>
#include <set>
#include <utility>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace lockstep {

namespace {

static_assert(std::endian::native == std::endian::little, "numbers are stored in the byte order of memory");

constexpr size_t kHeader_bytes = 64;
constexpr size_t kTrailer_bytes = 64;
constexpr std::array<char, kBlockAlignment> kZeros{};

template<class Number>
void append(std::string& out, Number number)
{
    out.append(reinterpret_cast<const char*>(&number), sizeof number);
}

void appendText(std::string& out, std::string_view text)
{
    append(out, static_cast<uint32_t>(text.size()));
    out += text;
}

// FrontReader takes numbers and strings from the front of a buffer. After one read fails, all further reads
// fail.
class FrontReader {
  public:
    explicit FrontReader(std::string_view bytes) : m_left(bytes) {}

    template<class Number>
    Number number()
    {
        Number out = 0;
        if (m_left.size() < sizeof out) {
            m_hasFailed = true;
            return 0;
        }
        std::memcpy(&out, m_left.data(), sizeof out);
        m_left.remove_prefix(sizeof out);
        return out;
    }
    std::string text()
    {
        const auto size = number<uint32_t>();
        if (size > m_left.size()) m_hasFailed = true;
        if (m_hasFailed) return {};
        std::string out(m_left.substr(0, size));
        m_left.remove_prefix(size);
        return out;
    }
    bool isAtEnd() const { return m_left.empty(); }
    bool hasFailed() const { return m_hasFailed; }

  private:
    std::string_view m_left;
    bool m_hasFailed = false;
};

std::string headerOf(uint32_t format)
{
    std::string header(kBlockFileMagic);
    append(header, format);
    header.resize(kHeader_bytes, '\0');
    return header;
}

tl::unexpected<Error> broken(const char* what, HelpTopic help = HelpTopic::none)
{
    return makeError(ErrorKind::corrupt, what, help);
}

} // namespace

uint64_t checksumOf(std::string_view bytes)
{
    return XXH3_64bits(bytes.data(), bytes.size());
}

BlockWriter::BlockWriter(OutputFile& file, uint32_t format) : m_file(&file)
{
    write(headerOf(format));
}

BlockWriter::BlockWriter(SpillFile& file, uint32_t format)
    : m_spill(&file), m_written_bytes(file.size_bytes())
{
    static_assert(kHeader_bytes == kBlockAlignment);
    file.writeBegin(headerOf(format));
}

void BlockWriter::write(std::string_view bytes)
{
    if (m_file != nullptr) {
        m_file->write(bytes);
    } else {
        m_spill->append(bytes);
    }
    m_written_bytes += bytes.size();
}

void BlockWriter::align()
{
    const size_t over = m_written_bytes % kBlockAlignment;
    if (over > 0) write({kZeros.data(), kBlockAlignment - over});
}

void BlockWriter::add(Block block, std::string_view bytes)
{
    const auto offset = m_spill != nullptr ? m_spill->offsetOf(bytes.data()) : std::nullopt;
    if (!offset || *offset % kBlockAlignment != 0) return add(std::move(block), std::span(&bytes, 1));
    block.offset_bytes = *offset;
    block.size_bytes = bytes.size();
    block.checksum = checksumOf(bytes);
    m_blocks.push_back(std::move(block));
}

void BlockWriter::add(Block block, std::span<const std::string_view> pieces)
{
    align();
    block.offset_bytes = m_written_bytes;
    XXH3_state_t state;
    XXH3_64bits_reset(&state);
    for (const std::string_view piece : pieces) {
        XXH3_64bits_update(&state, piece.data(), piece.size());
        write(piece);
    }
    block.size_bytes = m_written_bytes - block.offset_bytes;
    block.checksum = XXH3_64bits_digest(&state);
    m_blocks.push_back(std::move(block));
}

void BlockWriter::finish()
{
    align();
    std::string directory;
    append(directory, static_cast<uint64_t>(m_blocks.size()));
    for (const Block& block : m_blocks) {
        append(directory, block.owner);
        appendText(directory, block.name);
        appendText(directory, block.type);
        appendText(directory, block.coding);
        for (const uint64_t number : {block.rows, block.offset_bytes, block.size_bytes, block.checksum})
            append(directory, number);
    }
    std::string trailer;
    for (const uint64_t number : {m_written_bytes, uint64_t(directory.size()), checksumOf(directory),
                                  m_written_bytes + directory.size() + kTrailer_bytes})
        append(trailer, number);
    append(trailer, checksumOf(trailer));
    trailer.resize(kTrailer_bytes - kBlockFileMagic.size(), '\0');
    trailer += kBlockFileMagic;
    write(directory);
    write(trailer);
}

Result<std::shared_ptr<const BlockFile>> BlockFile::open(const std::filesystem::path& path,
                                                         std::shared_ptr<ResidentLimit> limit)
{
    const std::shared_ptr<BlockFile> out(new BlockFile);
    out->m_file = std::make_unique<MappedFile>(LOCKSTEP_TRY(MappedFile::open(path)));
    if (limit) out->m_file->watch(std::move(limit));
    out->m_bytes = out->m_file->text();
    LOCKSTEP_TRY(out->readDirectory());
    return out;
}

Result<std::shared_ptr<const BlockFile>> BlockFile::openBytes(std::string_view bytes)
{
    const std::shared_ptr<BlockFile> out(new BlockFile);
    out->m_bytes = bytes;
    LOCKSTEP_TRY(out->readDirectory());
    return out;
}

Status BlockFile::readDirectory()
{
    if (m_bytes.size() < kHeader_bytes + kTrailer_bytes || !m_bytes.starts_with(kBlockFileMagic))
        return broken("the file is cut short", HelpTopic::truncatedFile);
    m_format = FrontReader(m_bytes.substr(kBlockFileMagic.size())).number<uint32_t>();
    const std::string_view tail = m_bytes.substr(m_bytes.size() - kTrailer_bytes);
    if (!tail.ends_with(kBlockFileMagic))
        return broken("the file is cut short: its end is missing", HelpTopic::truncatedFile);
    FrontReader reader(tail);
    const auto begin = reader.number<uint64_t>(), size = reader.number<uint64_t>();
    const auto checksum = reader.number<uint64_t>(), fileSize = reader.number<uint64_t>();
    if (reader.number<uint64_t>() != checksumOf(tail.substr(0, 4 * sizeof(uint64_t))))
        return broken("the end of the file is corrupt");
    if (fileSize != m_bytes.size()) return broken("the file does not have the length it was written with");
    if (begin < kHeader_bytes || begin > fileSize || size != fileSize - kTrailer_bytes - begin)
        return broken("the file's directory is not at the recorded position");
    const std::string_view directory = m_bytes.substr(begin, size);
    if (checksumOf(directory) != checksum) return broken("the file's directory is corrupt");

    FrontReader entries(directory);
    const auto count = entries.number<uint64_t>();
    std::set<std::pair<uint32_t, std::string>> names;
    for (uint64_t i = 0; i < count && !entries.hasFailed(); ++i) {
        Block block;
        block.owner = entries.number<uint32_t>();
        block.name = entries.text();
        block.type = entries.text();
        block.coding = entries.text();
        for (uint64_t* number : {&block.rows, &block.offset_bytes, &block.size_bytes, &block.checksum})
            *number = entries.number<uint64_t>();
        if (block.offset_bytes % kBlockAlignment != 0 || block.offset_bytes < kHeader_bytes ||
            block.offset_bytes > begin || block.size_bytes > begin - block.offset_bytes)
            return broken("a block is outside the file");
        if (!names.insert({block.owner, block.name}).second) return broken("duplicate block");
        m_blocks.push_back(std::move(block));
    }
    if (entries.hasFailed() || !entries.isAtEnd()) return broken("the file's directory is corrupt");
    return {};
}

Status BlockFile::verify(const Block& block) const
{
    if (checksumOf(bytesOf(block)) == block.checksum) return {};
    return makeError(ErrorKind::corrupt, "block " + block.name + " is damaged");
}

} // namespace lockstep
