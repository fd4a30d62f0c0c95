#include "core/readers/report_search.h"

#include <algorithm>
#include <set>

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
        entry.increment(failure);
    }
    if (failure)
        found.passedOver.push_back({folder, "the rest of the folder cannot be listed: " + failure.message()});
    std::ranges::sort(files);
    return files;
}

// Empty when the file is to be opened.
std::string reasonToPassOver(const fs::path& file, const std::vector<fs::path>& siblings)
{
    if (file.extension() == ".nsys-rep" || file.extension() == ".qdrep") {
        fs::path exported = file;
        exported.replace_extension(".sqlite");
        if (std::ranges::binary_search(siblings, exported)) return "its SQLite export stands beside it";
    }
    const Result<FileSniff> sniff = sniffFile(file);
    if (!sniff) return sniff.error().message;
    return readerFor(*sniff) == nullptr ? "no profiler report that Lockstep knows (by its content)" : "";
}

class Collector {
  public:
    explicit Collector(FoundReports& found) : m_found(found) {}
    void add(const fs::path& path)
    {
        std::error_code ignored;
        const fs::path canonical = fs::weakly_canonical(path, ignored);
        if (m_seen.insert(canonical.empty() ? path : canonical).second) {
            m_found.reports.push_back(path);
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
            collector.add(path);
            continue;
        }
        const std::vector<fs::path> files = filesBelow(path, found);
        for (const fs::path& file : files) {
            LOCKSTEP_TRY(progress.check());
            const std::string reason = reasonToPassOver(file, files);
            if (reason.empty()) {
                collector.add(file);
            } else {
                found.passedOver.push_back({file, reason});
            }
        }
    }
    return found;
}

} // namespace lockstep
