// SPDX-License-Identifier: Apache-2.0
#include "core/readers/report_search.h"

#include <algorithm>
#include <atomic>
#include <set>

#include <zstd.h>

#include "core/readers/identity/file_identity.h"
#include "core/readers/reader.h"

namespace lockstep {

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> filesBelow(const fs::path& folder, FoundReports& found)
{
    std::vector<fs::path> files;
    std::error_code failure;
    auto entry =
        fs::recursive_directory_iterator(folder, fs::directory_options::skip_permission_denied, failure);
    while (!failure && entry != fs::recursive_directory_iterator()) {
        std::error_code ignored;
        if (entry->is_regular_file(ignored)) files.push_back(entry->path());
        // What a collection has not brought whole yet.
        if (entry->path().filename().string().starts_with(".lockstep-parts-"))
            entry.disable_recursion_pending();
        entry.increment(failure);
    }
    if (failure)
        found.passedOver.push_back({folder, "the rest of the folder cannot be listed: " + failure.message()});
    std::ranges::sort(files);
    return files;
}

// A file of a folder, looked at: either found, or passed over for a reason.
struct Look {
    FoundFile file;
    std::string reason;
};

// Why another of the files is to be opened instead of this one; empty when none is.
std::string standsBack(const fs::path& path, const std::vector<fs::path>& files)
{
    for (const Reader& reader : readers()) {
        std::string reason = reader.yieldsTo != nullptr ? reader.yieldsTo(path, files) : std::string();
        if (!reason.empty()) return reason;
    }
    return {};
}

constexpr uint64_t kPacking = 10; // trace JSON packs about 10 to 1

// Returns about what a report takes in memory once it is open, with its level of detail, from its size before
// compression: mostly, real files are within a factor of 2 of it. nullptr: an unknown kind.
uint64_t forecastMemory_bytes(const Reader* reader, uint64_t size_bytes)
{
    constexpr uint64_t kSmallest_bytes = 64 << 10;
    const uint64_t tenths = reader != nullptr ? reader->memory_tenths : kUsualMemory_tenths;
    return kSmallest_bytes + size_bytes / 10 * tenths;
}

// Returns the size of a packed file's content as its stream states it: gzip at its end (RFC 1952, modulo
// 2^32), zstd in the header of its first frame. Where neither states one that makes sense, a usual one.
uint64_t unpackedSize_bytes(const FileSniff& file)
{
    uint64_t stated_bytes = 0;
    if (file.head.starts_with("\x1F\x8B") && file.tail.size() >= 4) {
        for (size_t i = 0; i < 4; ++i)
            stated_bytes |= uint64_t(static_cast<unsigned char>(file.tail[file.tail.size() - 4 + i]))
                            << (8 * i);
    } else if (file.head.starts_with("\x28\xB5\x2F\xFD")) {
        const auto size = ZSTD_getFrameContentSize(file.head.data(), file.head.size());
        if (size != ZSTD_CONTENTSIZE_UNKNOWN && size != ZSTD_CONTENTSIZE_ERROR) stated_bytes = size;
    } else {
        return file.size_bytes;
    }
    return stated_bytes > file.size_bytes ? stated_bytes : file.size_bytes * kPacking;
}

// The same of a file that may say more itself than its size does.
uint64_t memoryOf_bytes(const Reader& reader, const FileSniff& file)
{
    const uint64_t said_bytes = reader.memoryOf_bytes != nullptr ? reader.memoryOf_bytes(file) : 0;
    return said_bytes > 0 ? said_bytes : forecastMemory_bytes(&reader, unpackedSize_bytes(file));
}

Look lookAt(const fs::path& path, const std::vector<fs::path>& files)
{
    Look look;
    look.reason = standsBack(path, files);
    if (!look.reason.empty()) return look;
    const Result<FileSniff> sniff = sniffFile(path);
    const Reader* const reader = sniff ? readerFor(*sniff) : nullptr;
    if (reader == nullptr) {
        look.reason =
            sniff ? "no profiler report that Lockstep knows (by its content)" : sniff.error().message;
        return look;
    }
    look.file.size_bytes = sniff->size_bytes;
    look.file.kind = reader->format.name;
    look.file.tool = reader->format.tool;
    look.file.memory_bytes = memoryOf_bytes(*reader, *sniff);
    look.file.identity = identityFromPath(path);
    return look;
}

class Collector {
  public:
    explicit Collector(FoundReports& found) : m_found(found) {}
    void add(const fs::path& path, FoundFile file)
    {
        std::error_code ignored;
        const fs::path canonical = fs::weakly_canonical(path, ignored);
        if (m_seen.insert(canonical.empty() ? path : canonical).second) {
            m_found.reports.push_back(path);
            m_found.files.push_back(std::move(file));
        } else {
            m_found.passedOver.push_back({path, "given more than once"});
        }
    }

  private:
    FoundReports& m_found;
    std::set<fs::path> m_seen;
};

} // namespace

Result<FoundReports> findReports(const std::vector<fs::path>& paths, const Progress& progress)
{
    FoundReports found;
    Collector collector(found);
    for (const fs::path& path : paths) {
        std::error_code ignored;
        if (!fs::is_directory(path, ignored)) {
            collector.add(path, unseenFile(path));
            continue;
        }
        const std::vector<fs::path> files = filesBelow(path, found);
        std::vector<Look> looks(files.size());
        std::atomic<uint64_t> done = 0;
        progress.workers().run(files.size(), [&](size_t i, size_t) {
            if (progress.isCanceled()) return;
            looks[i] = lookAt(files[i], files);
            progress.report(++done, files.size());
        });
        LOCKSTEP_TRY(progress.check());
        for (size_t i = 0; i < files.size(); ++i) {
            if (looks[i].reason.empty()) {
                collector.add(files[i], std::move(looks[i].file));
            } else {
                found.passedOver.push_back({files[i], std::move(looks[i].reason)});
            }
        }
    }
    return found;
}

FoundFile unseenFile(const fs::path& path)
{
    FoundFile file;
    std::error_code failed;
    const uintmax_t size_bytes = fs::file_size(path, failed);
    const bool isCompressed =
        std::ranges::find(kPackedEndings, path.extension().string()) != kPackedEndings.end();
    file.size_bytes = failed ? 0 : size_bytes;
    const Reader* const reader = readerByName(path);
    file.memory_bytes = forecastMemory_bytes(reader, file.size_bytes * (isCompressed ? kPacking : 1));
    if (reader != nullptr && (isCompressed || reader->memoryOf_bytes != nullptr)) {
        const auto sniff = sniffFile(path);
        if (sniff && reader->recognises(*sniff)) file.memory_bytes = memoryOf_bytes(*reader, *sniff);
    }
    file.identity = identityFromPath(path);
    return file;
}

} // namespace lockstep
