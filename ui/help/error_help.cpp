// SPDX-License-Identifier: Apache-2.0
#include "ui/help/error_help.h"

#include <algorithm>
#include <array>

namespace lockstep {

namespace {

constexpr std::string_view kNeedsNsys = "open_reports#It needs nsys";
constexpr std::string_view kCutShort = "open_reports#It is cut short";
constexpr std::string_view kChanged = "open_reports#It changed";
constexpr std::string_view kNoAnswer = "ssh#A host does not answer";
constexpr std::string_view kCache = "settings#Cache";

constexpr std::array kErrorHelp{
    ErrorHelp{"there is no nsys here", kNeedsNsys},
    ErrorHelp{"the newest here is ", kNeedsNsys},
    ErrorHelp{"cut short", kCutShort},
    ErrorHelp{"without its end mark", kCutShort},
    ErrorHelp{"cut off in its first", kCutShort},
    ErrorHelp{"changed since it was read", kChanged},
    ErrorHelp{"no profiler report that Lockstep knows", "open_reports#It is not recognised"},
    ErrorHelp{"no report among the inputs", "open_reports#It is not recognised"},
    ErrorHelp{"a pickle, but no memory snapshot", "memory"},
    ErrorHelp{"would pass the memory limit of ", "settings#Memory limit"},
    ErrorHelp{"needs more memory than the limit of ", "settings#Memory limit"},
    ErrorHelp{"not enough memory to read it", "settings#Memory limit"},
    ErrorHelp{"name another cache folder", kCache},
    ErrorHelp{"name a cache folder", kCache},
    ErrorHelp{"written by a newer Lockstep", "file_format#A newer Lockstep"},
    ErrorHelp{"a workspace without reports", "file_format"},
    ErrorHelp{"host key", kNoAnswer},
    ErrorHelp{"the host takes none of your keys", kNoAnswer},
    ErrorHelp{"it did not answer in time", kNoAnswer},
    ErrorHelp{"its name is not known here", kNoAnswer},
    ErrorHelp{"nothing listens there", kNoAnswer},
    ErrorHelp{"there is no route to it", kNoAnswer},
    ErrorHelp{"it stopped answering", kNoAnswer},
    ErrorHelp{"ssh does not understand its configuration", kNoAnswer},
    ErrorHelp{"no host can be reached", kNoAnswer},
    ErrorHelp{"noexec", "ssh#The home folder is full, read-only or noexec"},
    ErrorHelp{"The checks found errors", "session#The checks"},
    ErrorHelp{"Slurm does not answer", "slurm"},
    ErrorHelp{"liblockstep_capture.so is not beside", "capture"},
    ErrorHelp{"older and cannot be profiled", "verl"},
    ErrorHelp{"this is no verl configuration", "verl"},
    ErrorHelp{"this is no configuration of NeMo RL", "nemo_rl"},
    ErrorHelp{"NeMo RL records one unbroken run of steps", "nemo_rl"},
    ErrorHelp{"this is no session: ", "session"},
    ErrorHelp{"nothing that is open states UTC", "clocks"},
    ErrorHelp{"queries only read", "sql"},
    ErrorHelp{"in the settings makes no sense", "settings#The file"},
    ErrorHelp{"Settings that this version does not know", "settings#The file"},
    ErrorHelp{"what is set now ends with this window", "settings#The file"},
    ErrorHelp{"and it is written anew with the next change", "settings#The file"},
    ErrorHelp{"Keys of several commands", "settings#Keys"},
    ErrorHelp{"Keys that the settings name", "settings#Keys"},
    ErrorHelp{": cannot be written", "file_format#It cannot be written"},
};

} // namespace

std::span<const ErrorHelp> errorHelp()
{
    return kErrorHelp;
}

QString helpPlaceOf(const QString& message)
{
    const std::string text = message.toStdString();
    const auto found = std::ranges::find_if(
        kErrorHelp, [&](const ErrorHelp& one) { return text.find(one.words) != std::string::npos; });
    if (found == kErrorHelp.end()) return {};
    return QString::fromUtf8(found->place.data(), static_cast<qsizetype>(found->place.size()));
}

} // namespace lockstep
