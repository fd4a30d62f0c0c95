#include "app/found_files.h"

#include <algorithm>

#include "core/readers/reader.h"

namespace lockstep {

namespace {

namespace fs = std::filesystem;

// Regular files below a folder, sorted. Links to folders are not followed: they may lead in circles.
std::vector<fs::path> filesBelow(const fs::path& folder, FoundFiles& found)
{
    std::vector<fs::path> files;
    std::error_code failed;
    auto at = fs::recursive_directory_iterator(folder, fs::directory_options::skip_permission_denied, failed);
    for (; !failed && at != fs::recursive_directory_iterator(); at.increment(failed)) {
        std::error_code ignored;
        if (at->is_regular_file(ignored)) files.push_back(at->path());
    }
    if (failed) found.skipped.push_back({folder, "the folder could not be read to its end: " + failed.message()});
    std::ranges::sort(files);
    return files;
}

} // namespace

Result<FoundFiles> findReports(const std::vector<fs::path>& paths, const Progress& progress)
{
    FoundFiles found;
    for (const fs::path& path : paths) {
        std::error_code ignored;
        if (!fs::is_directory(path, ignored)) {
            found.reports.push_back(path);
            continue;
        }
        const std::vector<fs::path> files = filesBelow(path, found);
        for (const fs::path& file : files) {
            LOCKSTEP_TRY(progress.check());
            fs::path exported = file;
            exported.replace_extension(".sqlite");
            if (file.extension() == ".nsys-rep" && std::ranges::binary_search(files, exported)) {
                found.skipped.push_back({file, "its SQLite export stands beside it and was opened instead"});
                continue;
            }
            const Result<FileSniff> sniffed = sniffFile(file);
            if (!sniffed) {
                found.skipped.push_back({file, "could not be read"});
            } else if (readerFor(*sniffed) == nullptr) {
                found.skipped.push_back({file, "no profiler report that Lockstep knows, by its content; passed over"});
            } else {
                found.reports.push_back(file);
            }
        }
    }
    return found;
}

} // namespace lockstep
