#include "app/picture_export.h"

namespace lockstep {

Result<std::string> drawTimeline(const PictureRequest&)
{
    return makeError(ErrorKind::unsupported, "this build draws no timeline");
}

} // namespace lockstep
