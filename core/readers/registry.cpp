#include <array>

#include "core/readers/chrome_json/chrome_json_reader.h"
#include "core/readers/memory_snapshot/memory_snapshot_reader.h"
#include "core/readers/nsys_sqlite/nsys_sqlite_reader.h"
#include "core/readers/reader.h"

namespace lockstep {

std::span<const Reader> readers()
{
    static const std::array<Reader, 3> kReaders{
        nsysSqliteReader(),
        memorySnapshotReader(), // before Chrome JSON: a snapshot may be JSON too
        chromeJsonReader(),
    };
    return kReaders;
}

const Reader* readerFor(const FileSniff& file)
{
    for (const Reader& reader : readers()) {
        if (reader.recognises(file)) return &reader;
    }
    return nullptr;
}

Result<std::shared_ptr<const Report>> readReport(const std::filesystem::path& path, const Progress& progress)
{
    const FileSniff file = LOCKSTEP_TRY(sniffFile(path));
    if (file.size_bytes == 0) return makeError(ErrorKind::corrupt, path.string() + ": empty file; copy it again");
    const Reader* const reader = readerFor(file);
    if (reader == nullptr) {
        return makeError(ErrorKind::unsupported,
                         path.string() + ": no profiler report that Lockstep knows (by its content); it opens nsys "
                                         "SQLite exports and Chrome or PyTorch trace JSON, plain, .gz or .zst");
    }
    return reader->read(file, progress);
}

Result<SliceDetails> readSliceDetails(const Report& report, SliceId slice)
{
    for (const Reader& reader : readers()) {
        if (reader.name == report.provenance.kind) return reader.details(report, slice);
    }
    return makeError(ErrorKind::unsupported, "no reader of kind " + report.provenance.kind);
}

} // namespace lockstep
