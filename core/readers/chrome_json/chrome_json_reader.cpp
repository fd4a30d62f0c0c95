#include "core/readers/chrome_json/chrome_json_reader.h"

namespace lockstep {

namespace {

bool recognises(const FileSniff& file)
{
    return file.text.starts_with("{") || file.text.starts_with("[");
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

Reader chromeJsonReader()
{
    return {"chrome json", recognises, read, details};
}

} // namespace lockstep
