// SPDX-License-Identifier: Apache-2.0
#include "ui/help/help_topics.h"

#include <algorithm>
#include <array>

namespace lockstep {

namespace {

struct TopicPage {
    HelpTopic topic;
    std::string_view page; // "page" or "page#Section"
};

struct NoteTopic {
    std::string_view kind; // ImportNote::kind
    HelpTopic topic;
};

// Same order as HelpTopic.
constexpr std::array<TopicPage, kHelpTopics> kPages{{
    {HelpTopic::none, ""},
    {HelpTopic::missingNsys, "open_reports#Missing nsys"},
    {HelpTopic::truncatedFile, "open_reports#Truncated files"},
    {HelpTopic::changedFile, "open_reports#Files that changed"},
    {HelpTopic::unrecognizedFile, "open_reports#Unrecognized files"},
    {HelpTopic::memorySnapshot, "memory"},
    {HelpTopic::memoryLimit, "settings#Memory limit"},
    {HelpTopic::cache, "settings#Cache"},
    {HelpTopic::newerVersion, "file_format#Files from a newer version"},
    {HelpTopic::workspace, "file_format"},
    {HelpTopic::writeError, "file_format#Write errors"},
    {HelpTopic::unresponsiveHost, "ssh#A host does not respond"},
    {HelpTopic::homeFolder, "ssh#The home folder is full, read-only or noexec"},
    {HelpTopic::diskFull, "ssh#A disk fills up during a run"},
    {HelpTopic::slurm, "slurm"},
    {HelpTopic::sessionChecks, "session#Session checks"},
    {HelpTopic::session, "session"},
    {HelpTopic::capture, "capture"},
    {HelpTopic::clocks, "clocks"},
    {HelpTopic::sql, "sql"},
    {HelpTopic::settingsFile, "settings#Settings file"},
    {HelpTopic::keys, "settings#Keys"},
    {HelpTopic::servers, "servers#Problems"},
}};

consteval bool hasEveryTopic()
{
    for (size_t i = 0; i < kPages.size(); ++i) {
        if (static_cast<size_t>(kPages[i].topic) != i || kPages[i].page.empty() != (i == 0)) return false;
    }
    return true;
}
static_assert(hasEveryTopic(), "a help topic has no line, or the lines are in another order");

constexpr std::array kNotes{
    NoteTopic{"events.cut_short", HelpTopic::truncatedFile},
    NoteTopic{"events.no_end", HelpTopic::truncatedFile},
    NoteTopic{"file.changed", HelpTopic::changedFile},
    NoteTopic{"file.cut_short", HelpTopic::truncatedFile},
    NoteTopic{"file.truncated", HelpTopic::truncatedFile},
    NoteTopic{"strings.cut_short", HelpTopic::truncatedFile},
    NoteTopic{"table.cut_short", HelpTopic::truncatedFile},
};

} // namespace

QString helpPageOf(HelpTopic topic)
{
    const std::string_view page = kPages[static_cast<size_t>(topic)].page;
    return QString::fromUtf8(page.data(), static_cast<qsizetype>(page.size()));
}

HelpTopic helpTopicOfNote(std::string_view kind)
{
    const auto found = std::ranges::find(kNotes, kind, &NoteTopic::kind);
    return found != kNotes.end() ? found->topic : HelpTopic::none;
}

} // namespace lockstep
