#include "core/readers/report_search.h"

#include <algorithm>
#include <atomic>
#include <set>

#include "core/base/parallel.h"
#include "core/readers/identity/file_identity.h"
#include "core/readers/nsys_report/nsys_report_reader.h"
#include "core/readers/nsys_sqlite/nsys_sqlite_reader.h"
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

// nsys leaves up to three files of one recording side by side: stream, report, export. Why another of them is
// to be opened instead of this one; empty when none is.
std::string madeBeside(const fs::path& path, const std::vector<fs::path>& siblings)
{
    const auto beside = [&](const char* extension) {
        fs::path other = path;
        other.replace_extension(extension);
        return std::ranges::binary_search(siblings, other) ? other : fs::path();
    };
    const fs::path extension = path.extension(), exported = beside(".sqlite");
    fs::path report = beside(".nsys-rep");
    if (report.empty()) report = beside(".qdrep");
    // An export that is cut must not hide the whole report beside it, nor be opened beside that.
    if (extension == ".nsys-rep" || extension == ".qdrep") {
        return !exported.empty() && isWholeNsysExport(exported) ? "its SQLite export stands beside it" : "";
    }
    if (extension == ".sqlite") {
        const bool isCut = !report.empty() && !isWholeNsysExport(path);
        return isCut && canConvert(report, defaultConversionPlaces())
                   ? "not whole; the report it was made from stands beside it"
                   : "";
    }
    const bool isMade = !report.empty() || (!exported.empty() && isWholeNsysExport(exported));
    return extension == ".qdstrm" && isMade ? "the report made of it stands beside it" : "";
}

Look lookAt(const fs::path& path, const std::vector<fs::path>& siblings)
{
    Look look;
    look.reason = madeBeside(path, siblings);
    if (!look.reason.empty()) return look;
    const Result<FileSniff> sniff = sniffFile(path);
    const Reader* const reader = sniff ? readerFor(*sniff) : nullptr;
    if (reader == nullptr) {
        look.reason =
            sniff ? "no profiler report that Lockstep knows (by its content)" : sniff.error().message;
        return look;
    }
    look.file.size_bytes = sniff->size_bytes;
    look.file.kind = reader->name;
    look.file.memory_bytes =
        forecastMemory_bytes(reader->name, sniff->text != sniff->head, sniff->size_bytes);
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
        parallelFor(files.size(), [&](size_t i, size_t) {
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

uint64_t forecastMemory_bytes(std::string_view kind, bool isCompressed, uint64_t size_bytes)
{
    // Bytes in memory per byte of file, in tenths, as real files measure. Trace JSON packs about 10 to 1; a
    // workspace is packed always.
    constexpr uint64_t kSmallest_bytes = 64 << 10;
    const uint64_t tenths = kind == "lockstep workspace"                      ? 80
                            : kind == "nsys sqlite" || kind == "nsys report"  ? 5
                            : kind == "perfetto" || kind == "memory snapshot" ? 20
                                                                              : 2;
    const bool isPacked = isCompressed && kind != "lockstep workspace";
    return kSmallest_bytes + size_bytes / 10 * tenths * (isPacked ? 10 : 1);
}

FoundFile unseenFile(const fs::path& path)
{
    FoundFile file;
    std::error_code failed;
    const uintmax_t size_bytes = fs::file_size(path, failed);
    const fs::path extension = path.extension();
    const bool isExport = extension == ".sqlite" || extension == ".nsys-rep" || extension == ".qdrep";
    file.size_bytes = failed ? 0 : size_bytes;
    file.memory_bytes = forecastMemory_bytes(extension == ".lockstep" ? "lockstep workspace"
                                             : isExport               ? "nsys sqlite"
                                                                      : "",
                                             extension == ".gz" || extension == ".zst", file.size_bytes);
    file.identity = identityFromPath(path);
    return file;
}

} // namespace lockstep
