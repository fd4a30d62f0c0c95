// SPDX-License-Identifier: Apache-2.0
#include "core/readers/nsys_report/nsys_text.h"

#include <algorithm>
#include <array>

#include "core/base/text.h"

namespace lockstep {

std::string shellArgument(const std::string& text)
{
    const bool isPlain = !text.empty() && std::ranges::all_of(text, [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
               std::string_view("._-/+=@%,:").find(c) != std::string_view::npos;
    });
    if (isPlain) return text;
    std::string out = "'";
    for (const char c : text)
        out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return out + "'";
}

std::string lastLine(std::string_view output)
{
    constexpr std::string_view kEnds = "\r\n ";
    output = output.substr(0, output.find_last_not_of(kEnds) + 1);
    return repairedUtf8(output.substr(output.find_last_of("\r\n") + 1));
}

MessageWithHelp translatedNsysMessage(std::string_view output)
{
    struct Known {
        std::string_view fragment;
        std::string_view meaning;
        HelpTopic help = HelpTopic::none;
    };
    static constexpr std::array<Known, 6> kKnown{
        {{"Version tag is not found in the stream", "not an Nsight Systems report"},
         {"Section Table Reference magic number mismatch", "the report is cut short or still being written",
          HelpTopic::truncatedFile},
         {"Cannot read from stream", "the report is cut short or cannot be read", HelpTopic::truncatedFile},
         {"Invalid version prefix",
          "the file is a raw stream: run `nsys import` with the version that recorded it first"},
         {"newer version", "the report was created by a newer Nsight Systems"},
         {"incompatible version", "the report was created by a newer Nsight Systems"}}};
    for (const Known& known : kKnown) {
        if (output.find(known.fragment) != std::string_view::npos)
            return {std::string(known.meaning), known.help};
    }
    return {};
}

} // namespace lockstep
