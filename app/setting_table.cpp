// SPDX-License-Identifier: Apache-2.0
#include "app/setting_table.h"

#include <algorithm>
#include <filesystem>

#include <QCoreApplication>

#include "core/base/memory_budget.h"
#include "core/base/text.h"
#include "core/lanes/lane_state.h"
#include "core/session/shell_quote.h"

namespace lockstep {

namespace {

using Kind = Setting::Kind;

QString settingText(const char* text)
{
    return QCoreApplication::translate("lockstep::SettingTable", text);
}

QString folderRefusal(const QString& text)
{
    if (text.isEmpty()) return {};
    if (!text.startsWith('/')) return settingText("a full path is needed, one that begins with /");
    std::error_code failed;
    const auto kind = std::filesystem::status(text.toStdString(), failed).type();
    const bool isOther =
        kind != std::filesystem::file_type::not_found && kind != std::filesystem::file_type::directory;
    return isOther ? settingText("that is a file and no folder") : QString();
}

QString foldersRefusal(const QString& text)
{
    for (const QString& folder : text.split(':', Qt::SkipEmptyParts)) {
        if (const QString sentence = folderRefusal(folder); !sentence.isEmpty())
            return folder + ": " + sentence;
        if (!std::filesystem::exists(folder.toStdString())) return settingText("%1 is not there").arg(folder);
    }
    return {};
}

QString fileRefusal(const QString& text)
{
    if (text.isEmpty()) return {};
    if (!text.startsWith('/')) return settingText("a full path is needed, one that begins with /");
    std::error_code failed;
    return std::filesystem::is_regular_file(text.toStdString(), failed) ? QString()
                                                                        : settingText("no file is there");
}

QString wordsRefusal(const QString& text)
{
    const auto split = splitShellWords(text.toStdString());
    if (!split) return QString::fromStdString(split.error().message);
    if (split->words.empty() || split->words.front().starts_with('-')) return {};
    return settingText("an option begins with -, as in -o Compression=yes");
}

std::vector<Setting> lookSettings()
{
    const QString group = settingText("Look");
    return {
        {.keys = {"look/theme"},
         .kind = Kind::choice,
         .group = group,
         .label = settingText("Theme"),
         .meaning = settingText("Light or dark, or whatever the desktop is when the program starts."),
         .usual = "system",
         .choices = {{"system", settingText("Like the desktop")},
                     {"light", settingText("Light")},
                     {"dark", settingText("Dark")}}},
        {.keys = {"look/color_blind"},
         .kind = Kind::toggle,
         .group = group,
         .label = settingText("Colours and patterns for the colour-blind"),
         .meaning = settingText("Any two kinds of GPU work stay apart for protans, deutans and tritans."),
         .usual = false},
        {.keys = {"look/font_scale"},
         .kind = Kind::number,
         .group = group,
         .label = settingText("Text size"),
         .meaning = settingText("Of everything in the window; 100 % is text of 13 pixels."),
         .usual = 1.0,
         .least = 0.8,
         .most = 2.0,
         .shown = 100,
         .unit = "%"},
    };
}

std::vector<Setting> memorySettings()
{
    const QString group = settingText("Memory and cache");
    const double machine_gib = static_cast<double>(machineMemory_bytes()) / (1ull << 30);
    return {
        {.keys = {"open/memory_percent"},
         .kind = Kind::number,
         .group = group,
         .label = settingText("Memory for reports"),
         .meaning =
             settingText(
                 "Of this machine's %1 GiB. What does not fit is read onto disk instead, and is a little slower to draw.")
                 .arg(machine_gib, 0, 'f', 1),
         .usual = 70,
         .least = 10,
         .most = 95,
         .unit = "%"},
        {.keys = {"cache/folder"},
         .group = group,
         .label = settingText("Cache folder"),
         .meaning = settingText("Where columns of large reports lie. It must be on a disk, and yours alone."),
         .usual = "",
         .empty = "~/.cache/lockstep/columns",
         .refusal = &folderRefusal,
         .isOfNextStart = true},
        {.keys = {"cache/limit_gib"},
         .kind = Kind::number,
         .group = group,
         .label = settingText("Cache limit"),
         .meaning = settingText(
             "What is kept for another opening of the same file; what was used longest ago goes first. 0 keeps nothing."),
         .least = 0,
         .most = 1e6,
         .unit = "GiB",
         .empty = settingText("half of free"),
         .isOfNextStart = true},
        {.keys = {"cache/check"},
         .kind = Kind::choice,
         .group = group,
         .label = settingText("A kept file is the same"),
         .meaning = settingText(
             "When its size, time and inode are as they were; or when every byte is, which takes a reading of the file."),
         .usual = "time",
         .choices = {{"time", settingText("by size and time")}, {"content", settingText("by content")}},
         .isOfNextStart = true},
    };
}

std::vector<Setting> timelineSettings()
{
    const QString group = settingText("Timeline");
    return {
        {.keys = {"timeline/fold_gaps"},
         .kind = Kind::toggle,
         .group = group,
         .label = settingText("Fold long gaps"),
         .meaning =
             settingText("Time in which no report has anything becomes a hatched band with its length."),
         .usual = true},
        {.keys = {"timeline/gap_seconds"},
         .kind = Kind::number,
         .group = group,
         .label = settingText("A gap lasts at least"),
         .meaning = settingText("Shorter silence is never folded."),
         .usual = 60,
         .least = 10,
         .most = 1e6,
         .unit = "s"},
        {.keys = {"timeline/gap_steps"},
         .kind = Kind::number,
         .group = group,
         .label = settingText("And at least as long as"),
         .meaning =
             settingText("In median training steps, where steps are known; 0 leaves them out of account."),
         .usual = 20,
         .least = 0,
         .most = 1e9,
         .unit = settingText("steps")},
        {.keys = {"timeline/row_height"},
         .kind = Kind::number,
         .group = group,
         .label = settingText("Row height"),
         .meaning = settingText("Of lanes that no workspace says otherwise of: 14 is compact, 28 is tall."),
         .usual = kRowHeights[1],
         .least = kLeastRowHeight,
         .most = kMostRowHeight,
         .unit = settingText("px")},
        {.keys = {"timeline/ruler"},
         .kind = Kind::choice,
         .group = group,
         .label = settingText("The ruler counts"),
         .meaning = settingText("The ruler's own menu chooses it too, and which report's clock."),
         .usual = "zero",
         .choices = {{"zero", settingText("from zero")},
                     {"utc", settingText("in UTC")},
                     {"report", settingText("on a report's clock")}}},
    };
}

std::vector<Setting> hostSettings()
{
    const QString group = settingText("Hosts and tools");
    return {
        {.keys = {"ssh/options"},
         .group = group,
         .label = settingText("Further options of ssh"),
         .meaning = settingText(
             "Hosts are reached by your own ssh with its aliases, keys and jump hosts; these words are added. LOCKSTEP_SSH_OPTIONS does the same without a window."),
         .usual = "",
         .empty = "-o Compression=yes",
         .refusal = &wordsRefusal},
        {.keys = {"ssh/config"},
         .group = group,
         .label = settingText("Configuration of ssh"),
         .meaning =
             settingText("Another file in place of ~/.ssh/config. LOCKSTEP_SSH_CONFIG goes before it."),
         .usual = "",
         .empty = "~/.ssh/config",
         .refusal = &fileRefusal},
        {.keys = {"nsys/folders"},
         .group = group,
         .label = settingText("Folders of Nsight Systems"),
         .meaning = settingText(
             "Searched beside PATH, /opt/nvidia and /usr/local; several with a colon between them. The newest nsys converts reports. LOCKSTEP_NSYS_FOLDERS does the same without a window."),
         .usual = "",
         .empty = "/opt/nvidia/nsight-systems/2025.6.1",
         .refusal = &foldersRefusal,
         .isOfNextStart = true},
    };
}

std::vector<Setting> runSettings()
{
    const QString group = settingText("When a run ends");
    const auto line = [&](const char* key, const QString& label, const QString& meaning, bool usual) {
        return Setting{.keys = {key},
                       .kind = Kind::toggle,
                       .group = group,
                       .label = label,
                       .meaning = meaning,
                       .usual = usual};
    };
    return {
        line("run/fetches", settingText("Fetch every report"),
             settingText("Onto this machine, beside the workspace."), true),
        line("run/only_columns", settingText("Fetch packed columns alone"),
             settingText("A small part of the bytes; the raw files stay on their hosts."), false),
        line("run/opens", settingText("Open them"), settingText("On one axis, as soon as they are there."),
             true),
        line("run/notifies", settingText("Tell the desktop"),
             settingText("By a notification of this machine."), true),
    };
}

std::vector<Setting> keySettings()
{
    return {
        {.keys = {"keys/own", "keys/preset"},
         .kind = Kind::keys,
         .group = settingText("Keys"),
         .label = settingText("Keys and presets"),
         .meaning = settingText(
             "As in Lockstep, Perfetto or Nsight Systems, and of each command the keys that you press for it.")},
    };
}

std::vector<Setting> privacyFacts()
{
    const QString group = settingText("Privacy");
    const auto line = [&](const char* key, const QString& label, const QString& meaning) {
        return Setting{.keys = {key}, .kind = Kind::fact, .group = group, .label = label, .meaning = meaning};
    };
    return {
        line("privacy/nothing", settingText("Nothing leaves this machine"),
             settingText("No telemetry, no look-up, no search for updates: there is nothing to turn off.")),
        line(
            "privacy/ssh", settingText("Hosts that you name"),
            settingText(
                "Are reached by your own ssh when you run, watch or attach to a session, and at no other time.")),
        line(
            "privacy/sockets", settingText("Sockets of a run"),
            settingText(
                "Agents of a run over several hosts compare their clocks by UDP, on a port of the kernel's choice, under a token of the run. clock_exchange: off in the session opens none.")),
        line(
            "privacy/secrets", settingText("Secrets"),
            settingText(
                "Values of variables like *_KEY and *_TOKEN are handed to processes and written nowhere; plans, logs and workspaces hold $NAME.")),
        line("privacy/files", settingText("What is written"),
             settingText("Is yours alone: files 0600 in folders 0700, and nothing beside your reports.")),
    };
}

std::vector<Setting> rememberedThings()
{
    const QString group = settingText("Remembered");
    const auto line = [&](const QStringList& keys, const QString& label, const QString& meaning) {
        return Setting{
            .keys = keys, .kind = Kind::remembered, .group = group, .label = label, .meaning = meaning};
    };
    return {
        {.keys = {"tour/offered"},
         .kind = Kind::toggle,
         .group = group,
         .label = settingText("Offer the tour with the demo"),
         .meaning =
             settingText("Goes off when the tour was seen or dismissed; Help > Tour starts it at any time."),
         .usual = true},
        line({"open/recent", "open/recent_workspaces"}, settingText("What was opened lately"),
             settingText("Twelve reports or folders and twelve workspaces, by their paths.")),
        line({"open/folder"}, settingText("Where the open dialog begins"),
             settingText("The folder that was last opened from.")),
        line({"window/geometry", "window/layout"}, settingText("Places of window and panels"),
             settingText("As they were when the window was closed.")),
        line({"columns"}, settingText("Columns of tables"), settingText("Which are shown, in which order.")),
        line({"news/version"}, settingText("The version you know"),
             settingText("What came since is told once.")),
    };
}

} // namespace

std::span<const Setting> settingTable()
{
    static const std::vector<Setting> kAll = [] {
        std::vector<Setting> all;
        for (std::vector<Setting> part :
             {lookSettings(), memorySettings(), timelineSettings(), hostSettings(), runSettings(),
              keySettings(), privacyFacts(), rememberedThings()})
            std::ranges::move(part, std::back_inserter(all));
        return all;
    }();
    return kAll;
}

const Setting* findSetting(const QString& key)
{
    const auto keeps = [&](const Setting& setting) {
        return setting.keys.contains(key) || setting.keys.contains(key.section('/', 0, 0));
    };
    const auto found = std::ranges::find_if(settingTable(), keeps);
    return found == settingTable().end() ? nullptr : &*found;
}

} // namespace lockstep
