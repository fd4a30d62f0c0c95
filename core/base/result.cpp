// SPDX-License-Identifier: Apache-2.0
#include "core/base/result.h"

namespace lockstep {

std::string_view errorKindName(ErrorKind kind)
{
    switch (kind) {
    case ErrorKind::invalid:
        return "invalid";
    case ErrorKind::notFound:
        return "not found";
    case ErrorKind::corrupt:
        return "corrupt";
    case ErrorKind::unsupported:
        return "unsupported";
    case ErrorKind::io:
        return "input/output";
    case ErrorKind::remote:
        return "remote";
    case ErrorKind::canceled:
        return "canceled";
    }
    return "unknown";
}

} // namespace lockstep
