#include "core/readers/nsys_sqlite/nsys_sqlite_reader.h"

namespace lockstep {

namespace {

bool recognises(const FileSniff& file)
{
    return file.head.starts_with(std::string_view("SQLite format 3\0", 16));
}

Result<std::shared_ptr<const Report>> read(const FileSniff& file, const Progress&)
{
    return makeError(ErrorKind::unsupported, file.path.string() + ": not readable yet");
}

Result<SliceDetails> details(const Report&, SliceId)
{
    return SliceDetails();
}

} // namespace

Reader nsysSqliteReader()
{
    return {"nsys sqlite", recognises, read, details};
}

} // namespace lockstep
