// SPDX-License-Identifier: Apache-2.0
#include "core/readers/report_search.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <fcntl.h>
#include <unistd.h>
#include <zstd.h>

#include "core/base/inflate.h"
#include "core/base/progress.h"
#include "core/base/sha256.h"
#include "core/readers/foreign_file.h"
#include "core/readers/identity/file_identity.h"
#include "core/readers/reader.h"
#include "core/readers/recording_parts.h"
#include "core/readers/text_source.h"

namespace lockstep {

namespace {

// Detects files with the same content: copies, hard links, or the compressed and the uncompressed form of a
// report. If such files were opened together, the same work would count twice.

// What is known about a file's content without reading it.
struct ContentFingerprint {
    std::filesystem::path path;
    uint64_t unpacked_bytes = 0; // modulo 2^32; 0 = unknown
    std::string head;            // digest of the first bytes of the uncompressed content
    // Rank, step, host etc. from the path. Files with different claims are different reports even if their
    // content is equal.
    std::string claim;
};

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

// Returns the recorded size of a file's uncompressed content. For gzip, the size is at the end of the file
// (RFC 1952, modulo 2^32); for zstd, in the header of the first frame; for other files, it is the file size.
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

// Returns, for each file, the index of the first file with the same content; absent for that first file
// itself. Reads only files that agree in size, head and claim. The only possible error is
// ErrorKind::canceled, because an unreadable file counts as different from all others.
Result<std::vector<std::optional<size_t>>> firstWithSameContent(const std::vector<ContentFingerprint>& files,
                                                                const Progress& progress)
{
    std::map<std::tuple<uint64_t, std::string, std::string>, std::vector<size_t>> groups;
    for (size_t i = 0; i < files.size(); ++i) {
        if (files[i].unpacked_bytes > 0)
            groups[{files[i].unpacked_bytes, files[i].head, files[i].claim}].push_back(i);
    }
    std::vector<std::optional<size_t>> firsts(files.size());
    for (const auto& [fingerprint, indices] : groups) {
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

namespace fs = std::filesystem;

// name prefix of a folder whose collection is not complete yet
constexpr std::string_view kUnfinishedCollection = ".lockstep-parts-";

// The contents of a folder tree. Symbolic links to folders are not followed.
struct FolderContents {
    std::vector<fs::path> files;
    std::vector<fs::path> unreadable; // unreadable files and folders
};

void addBelow(const fs::path& folder, FolderContents& contents, FoundReports& found)
{
    std::error_code failure;
    auto entry = fs::directory_iterator(folder, failure);
    while (!failure && entry != fs::directory_iterator()) {
        const fs::path path = entry->path();
        std::error_code unknown;
        const fs::file_status status = entry->status(unknown);
        if (unknown == std::errc::permission_denied) {
            contents.unreadable.push_back(path);
        } else if (fs::is_regular_file(status)) {
            contents.files.push_back(path);
        } else if (fs::is_directory(status) && !entry->is_symlink(unknown) &&
                   !path.filename().string().starts_with(kUnfinishedCollection)) {
            addBelow(path, contents, found);
        }
        entry.increment(failure);
    }
    if (failure == std::errc::permission_denied) {
        contents.unreadable.push_back(folder);
    } else if (failure) {
        found.skippedFiles.push_back(
            {folder, "the rest of the folder cannot be listed: " + failure.message()});
    }
}

FolderContents contentsBelow(const fs::path& folder, FoundReports& found)
{
    FolderContents contents;
    addBelow(folder, contents, found);
    std::ranges::sort(contents.files);
    std::ranges::sort(contents.unreadable);
    return contents;
}

// The result of examining a file in a folder: the file is found, or it is skipped for a reason.
struct ExaminedFile {
    FoundFile file;
    std::string reason;
    HelpTopic help = HelpTopic::none; // help topic for the reason
    fs::path sameAs;
    ContentFingerprint fingerprint;
    Division division; // of a recording in several files
};

// Returns the reason to skip a file that an editor, browser or writer left behind; empty for ordinary names.
std::string leftoverReason(const fs::path& path)
{
    const std::string name = path.filename().string();
    if (name.starts_with('.')) return "a hidden file";
    if (name.ends_with('~') || name.ends_with(".tmp") || name.ends_with(".bak")) return "a temporary file";
    return name.ends_with(":Zone.Identifier") ? "a Windows download marker (Zone.Identifier)" : std::string();
}

bool isForbidden(const fs::path& path)
{
    return ::faccessat(AT_FDCWD, path.c_str(), R_OK, AT_EACCESS) != 0 && errno == EACCES;
}

// Returns why another one of the files is opened instead of this one; empty if this file is opened.
std::string reasonToYield(const fs::path& path, const std::vector<fs::path>& files)
{
    for (const Reader& reader : readers()) {
        std::string reason = reader.yieldsTo != nullptr ? reader.yieldsTo(path, files) : std::string();
        if (!reason.empty()) return reason;
    }
    return {};
}

constexpr uint64_t kPacking = 10; // trace JSON usually compresses about 10 to 1

// Estimates the memory of an open report and its levels of detail from the uncompressed size. For most real
// files, the estimate is correct to within a factor of 2. `reader` is nullptr for an unknown kind.
uint64_t forecastMemory_bytes(const Reader* reader, uint64_t size_bytes)
{
    constexpr uint64_t kSmallest_bytes = 64 << 10;
    const uint64_t tenths = reader != nullptr ? reader->memory_tenths : kTypicalMemory_tenths;
    return kSmallest_bytes + size_bytes / 10 * tenths;
}

// Returns the uncompressed size of a compressed file; a typical size if the file does not record a plausible
// one.
uint64_t unpackedSize_bytes(const FileSniff& file)
{
    const uint64_t recorded_bytes = recordedSize_bytes(file).value_or(0);
    const bool isPacked = isCompressed(file.head);
    return !isPacked || recorded_bytes > file.size_bytes ? recorded_bytes : file.size_bytes * kPacking;
}

// Like forecastMemory_bytes(), but for a file whose format may record its memory needs.
uint64_t memoryOf_bytes(const Reader& reader, const FileSniff& file)
{
    const uint64_t recorded_bytes = reader.memoryOf_bytes != nullptr ? reader.memoryOf_bytes(file) : 0;
    return recorded_bytes > 0 ? recorded_bytes : forecastMemory_bytes(&reader, unpackedSize_bytes(file));
}

ExaminedFile examine(const fs::path& path, const std::vector<fs::path>& files)
{
    ExaminedFile out;
    out.reason = leftoverReason(path);
    if (out.reason.empty()) out.reason = reasonToYield(path, files);
    if (!out.reason.empty()) return out;
    if (isForbidden(path)) {
        out.file = unexaminedFile(path);
        return out;
    }
    const Result<FileSniff> sniff = sniffFile(path);
    if (const auto foreign = sniff ? foreignFileText(*sniff) : std::nullopt) {
        out.reason = *foreign;
        return out;
    }
    const Reader* const reader = sniff ? readerFor(*sniff) : nullptr;
    if (reader == nullptr) {
        out.reason = sniff ? "not a recognized profiler report" : sniff.error().message;
        out.help = sniff ? HelpTopic::unrecognizedFile : sniff.error().help;
        return out;
    }
    out.file.size_bytes = sniff->size_bytes;
    out.file.kind = reader->format.name;
    out.file.tool = reader->format.tool;
    out.file.memory_bytes = memoryOf_bytes(*reader, *sniff);
    out.file.identity = identityFromPath(path);
    out.fingerprint = contentFingerprint(*sniff);
    if (reader->divisionOf != nullptr) out.division = reader->divisionOf(*sniff);
    return out;
}

// Skips all files of a recording but the one that stands for it.
void joinParts(const std::vector<fs::path>& files, std::vector<ExaminedFile>& examined)
{
    using Recording = std::tuple<fs::path, std::string_view, std::string>; // folder, format, name
    std::map<Recording, std::map<std::string, size_t>> recordings;         // with the index of each part
    for (size_t i = 0; i < files.size(); ++i) {
        const Division& division = examined[i].division;
        const auto part = partName(files[i].filename().string(), division.naming);
        if (!examined[i].reason.empty() || !part) continue;
        auto& parts = recordings[{files[i].parent_path(), division.format, part->recording}];
        const auto [known, isNew] = parts.emplace(part->place, i);
        // The files are sorted, so the compressed copy of a part comes after the part.
        if (!isNew) examined[i].reason = "the same part of a recording as " + files[known->second].string();
    }
    for (const auto& [recording, parts] : recordings) {
        ExaminedFile& whole = examined[parts.begin()->second];
        for (auto part = std::next(parts.begin()); part != parts.end(); ++part) {
            ExaminedFile& other = examined[part->second];
            other.reason = "a part of the recording " + files[parts.begin()->second].string();
            whole.file.size_bytes += other.file.size_bytes;
            whole.file.memory_bytes += other.file.memory_bytes;
        }
        if (parts.size() > 1) // another recording may begin with the same file
            whole.fingerprint.claim +=
                "|" + std::to_string(parts.size()) + " files, " + std::to_string(whole.file.size_bytes);
    }
}

// Skips files with the same content as an earlier one.
Status skipDuplicates(std::vector<ExaminedFile>& examined, const Progress& progress)
{
    std::vector<ContentFingerprint> fingerprints;
    std::vector<size_t> candidates;
    for (size_t i = 0; i < examined.size(); ++i) {
        if (!examined[i].reason.empty()) continue;
        fingerprints.push_back(examined[i].fingerprint);
        candidates.push_back(i);
    }
    const auto firsts = LOCKSTEP_TRY(firstWithSameContent(fingerprints, progress));
    for (size_t i = 0; i < firsts.size(); ++i) {
        if (!firsts[i]) continue;
        examined[candidates[i]].sameAs = fingerprints[*firsts[i]].path;
        examined[candidates[i]].reason = "same report as " + fingerprints[*firsts[i]].path.string();
    }
    return {};
}

class Collector {
  public:
    explicit Collector(FoundReports& found) : m_found(found) {}
    void add(const fs::path& path, FoundFile file)
    {
        if (has(path, path)) return;
        m_seen.insert(canonical(path));
        m_found.reports.push_back(path);
        m_found.files.push_back(std::move(file));
    }
    // Returns whether the report was added before; then skips `listed`, the file of it that was requested.
    bool has(const fs::path& path, const fs::path& listed)
    {
        if (!m_seen.contains(canonical(path))) return false;
        m_found.skippedFiles.push_back(
            {listed, listed == path ? "listed more than once" : "a part of the recording " + path.string()});
        return true;
    }

  private:
    static fs::path canonical(const fs::path& path)
    {
        std::error_code ignored;
        const fs::path found = fs::weakly_canonical(path, ignored);
        return found.empty() ? path : found;
    }

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
            const fs::path whole = recordingOf(path);
            if (!collector.has(whole, path)) collector.add(whole, unexaminedFile(whole));
            continue;
        }
        const FolderContents contents = contentsBelow(path, found);
        const std::vector<fs::path>& files = contents.files;
        // Unreadable files are included like other files, so that opening them reports the reason.
        for (const fs::path& unreadable : contents.unreadable)
            collector.add(unreadable, unexaminedFile(unreadable));
        std::vector<ExaminedFile> examined(files.size());
        std::atomic<uint64_t> done = 0;
        progress.workers().run(files.size(), [&](size_t i, size_t) {
            if (progress.isCanceled()) return;
            examined[i] = examine(files[i], files);
            progress.report(++done, files.size());
        });
        LOCKSTEP_TRY(progress.check());
        joinParts(files, examined);
        LOCKSTEP_TRY(skipDuplicates(examined, progress));
        for (size_t i = 0; i < files.size(); ++i) {
            if (examined[i].reason.empty()) {
                collector.add(files[i], std::move(examined[i].file));
            } else {
                found.skippedFiles.push_back({files[i], std::move(examined[i].reason),
                                              std::move(examined[i].sameAs), examined[i].help});
            }
        }
    }
    return found;
}

FoundFile unexaminedFile(const fs::path& path)
{
    FoundFile file;
    std::error_code failed;
    const uintmax_t size_bytes = fs::file_size(path, failed);
    const bool isCompressed =
        std::ranges::find(kCompressionSuffixes, path.extension().string()) != kCompressionSuffixes.end();
    file.size_bytes = failed ? 0 : size_bytes;
    const Reader* const reader = readerByName(path);
    file.memory_bytes = forecastMemory_bytes(reader, file.size_bytes * (isCompressed ? kPacking : 1));
    if (reader == nullptr || reader->divisionOf != nullptr) {
        const std::vector<fs::path> parts = filesOfRecording(path);
        for (const fs::path& part : std::span(parts).subspan(1)) {
            const uintmax_t part_bytes = fs::file_size(part, failed);
            if (failed) continue;
            file.size_bytes += part_bytes;
            file.memory_bytes += forecastMemory_bytes(reader, part_bytes * (isCompressed ? kPacking : 1));
        }
    }
    if (reader != nullptr && (isCompressed || reader->memoryOf_bytes != nullptr)) {
        const auto sniff = sniffFile(path);
        if (sniff && reader->recognizes(*sniff)) file.memory_bytes = memoryOf_bytes(*reader, *sniff);
    }
    file.identity = identityFromPath(path);
    return file;
}

} // namespace lockstep
