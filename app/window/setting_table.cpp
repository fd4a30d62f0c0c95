// SPDX-License-Identifier: Apache-2.0
#include "app/window/setting_table.h"

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

QString folderError(const QString& text)
{
    if (text.isEmpty()) return {};
    if (!text.startsWith('/')) return settingText("an absolute path is required, starting with /");
    std::error_code failed;
    const auto kind = std::filesystem::status(text.toStdString(), failed).type();
    const bool isOther =
        kind != std::filesystem::file_type::not_found && kind != std::filesystem::file_type::directory;
    return isOther ? settingText("this is a file, not a folder") : QString();
}

QString foldersError(const QString& text)
{
    for (const QString& folder : text.split(':', Qt::SkipEmptyParts)) {
        if (const QString sentence = folderError(folder); !sentence.isEmpty())
            return folder + ": " + sentence;
        if (!std::filesystem::exists(folder.toStdString()))
            return settingText("%1 does not exist").arg(folder);
    }
    return {};
}

QString fileError(const QString& text)
{
    if (text.isEmpty()) return {};
    if (!text.startsWith('/')) return settingText("an absolute path is required, starting with /");
    std::error_code failed;
    return std::filesystem::is_regular_file(text.toStdString(), failed) ? QString()
                                                                        : settingText("file not found");
}

QString optionsError(const QString& text)
{
    const auto split = splitShellWords(text.toStdString());
    if (!split) return QString::fromStdString(split.error().message);
    if (split->words.empty() || split->words.front().starts_with('-')) return {};
    return settingText("options start with -, for example -o Compression=yes");
}

std::vector<Setting> lookSettings()
{
    const QString group = settingText("Appearance");
    return {
        {.keys = {"look/theme"},
         .kind = Kind::choice,
         .group = group,
         .label = settingText("Theme"),
         .description = settingText("Light, dark, or the desktop's theme when the program starts."),
         .defaultValue = "system",
         .choices = {{"system", settingText("Same as desktop")},
                     {"light", settingText("Light")},
                     {"dark", settingText("Dark")}}},
        {.keys = {"look/color_blind"},
         .kind = Kind::toggle,
         .group = group,
         .label = settingText("Color-blind-friendly colors and patterns"),
         .description = settingText(
             "Keeps all kinds of GPU work distinguishable for people with protan, deutan or tritan color "
             "vision."),
         .defaultValue = false},
        {.keys = {"look/font_scale"},
         .kind = Kind::number,
         .group = group,
         .label = settingText("Text size"),
         .description = settingText("Applies to all text in the window; 100 % is 13 pixels."),
         .defaultValue = 1.0,
         .minimum = 0.8,
         .maximum = 2.0,
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
         .description =
             settingText(
                 "Share of this machine's %1 GiB. Data beyond the limit is stored on disk and is slightly "
                 "slower to draw.")
                 .arg(machine_gib, 0, 'f', 1),
         .defaultValue = 70,
         .minimum = 10,
         .maximum = 95,
         .unit = "%"},
        {.keys = {"cache/folder"},
         .group = group,
         .label = settingText("Cache folder"),
         .description =
             settingText("Folder for cached columns of large reports. Must be on a local disk and private "
                         "to you."),
         .defaultValue = "",
         .placeholder = "~/.cache/lockstep/columns",
         .validate = &folderError,
         .needsRestart = true},
        {.keys = {"cache/limit_gib"},
         .kind = Kind::number,
         .group = group,
         .label = settingText("Cache limit"),
         .description = settingText("Disk space for the cache, which speeds up reopening. The least recently "
                                    "used data is removed first. 0 disables the cache."),
         .minimum = 0,
         .maximum = 1e6,
         .unit = "GiB",
         .placeholder = settingText("half of free space"),
         .needsRestart = true},
        {.keys = {"cache/check"},
         .kind = Kind::choice,
         .group = group,
         .label = settingText("Cache validation"),
         .description = settingText(
             "How to check that cached data is current: by size, modification time and inode, or by "
             "content, which reads the entire file."),
         .defaultValue = "time",
         .choices = {{"time", settingText("size and time")}, {"content", settingText("content")}},
         .needsRestart = true},
    };
}

std::vector<Setting> timelineSettings()
{
    const QString group = settingText("Timeline");
    return {
        {.keys = {"timeline/fold_gaps"},
         .kind = Kind::toggle,
         .group = group,
         .label = settingText("Collapse long gaps"),
         .description =
             settingText("Show time without data in any report as a hatched band with its length."),
         .defaultValue = true},
        {.keys = {"timeline/gap_seconds"},
         .kind = Kind::number,
         .group = group,
         .label = settingText("Minimum gap"),
         .description = settingText("Shorter gaps are never collapsed."),
         .defaultValue = 60,
         .minimum = 10,
         .maximum = 1e6,
         .unit = "s"},
        {.keys = {"timeline/gap_steps"},
         .kind = Kind::number,
         .group = group,
         .label = settingText("Minimum gap in steps"),
         .description = settingText("Multiples of the median training step, if steps are known; 0 = ignore."),
         .defaultValue = 20,
         .minimum = 0,
         .maximum = 1e9,
         .unit = settingText("steps")},
        {.keys = {"timeline/row_height"},
         .kind = Kind::number,
         .group = group,
         .label = settingText("Default row height"),
         .description = settingText("Used unless the workspace sets a height; 14 = compact, 28 = tall."),
         .defaultValue = kRowHeights[1],
         .minimum = kMinRowHeight,
         .maximum = kMaxRowHeight,
         .unit = settingText("px")},
        {.keys = {"timeline/ruler"},
         .kind = Kind::choice,
         .group = group,
         .label = settingText("Time axis"),
         .description = settingText(
             "Can also be set in the ruler's menu, which selects the report whose clock is used."),
         .defaultValue = "zero",
         .choices = {{"zero", settingText("relative, from zero")},
                     {"utc", settingText("UTC")},
                     {"report", settingText("a report's clock")}}},
    };
}

std::vector<Setting> hostSettings()
{
    const QString group = settingText("Hosts and tools");
    return {
        {.keys = {"ssh/options"},
         .group = group,
         .label = settingText("Extra ssh options"),
         .description =
             settingText("Added to your own ssh command, whose aliases, keys and jump hosts apply. "
                         "For headless runs, set LOCKSTEP_SSH_OPTIONS."),
         .defaultValue = "",
         .placeholder = "-o Compression=yes",
         .validate = &optionsError},
        {.keys = {"ssh/config"},
         .group = group,
         .label = settingText("ssh configuration file"),
         .description = settingText("Used instead of ~/.ssh/config. LOCKSTEP_SSH_CONFIG takes precedence."),
         .defaultValue = "",
         .placeholder = "~/.ssh/config",
         .validate = &fileError},
        {.keys = {"nsys/folders"},
         .group = group,
         .label = settingText("Nsight Systems folders"),
         .description = settingText(
             "Searched in addition to PATH, /opt/nvidia and /usr/local; separate folders with colons. The "
             "newest nsys converts reports. For headless runs, set LOCKSTEP_NSYS_FOLDERS."),
         .defaultValue = "",
         .placeholder = "/opt/nvidia/nsight-systems/2025.6.1",
         .validate = &foldersError,
         .needsRestart = true},
    };
}

std::vector<Setting> runSettings()
{
    const QString group = settingText("When a run ends");
    const auto line = [&](const char* key, const QString& label, const QString& description, bool usual) {
        return Setting{.keys = {key},
                       .kind = Kind::toggle,
                       .group = group,
                       .label = label,
                       .description = description,
                       .defaultValue = usual};
    };
    return {
        line("run/fetches", settingText("Fetch all reports"),
             settingText("Saves them on this machine, next to the workspace."), true),
        line("run/only_columns", settingText("Fetch compact data only"),
             settingText("Transfers only a small part of the data; the raw files stay on their hosts."),
             false),
        line("run/opens", settingText("Open reports when collected"),
             settingText("Opens them on one time axis as soon as they are on this machine."), true),
        line("run/notifies", settingText("Desktop notification"),
             settingText("Show a notification on this machine."), true),
    };
}

std::vector<Setting> keySettings()
{
    return {
        {.keys = {"keys/own", "keys/preset"},
         .kind = Kind::keys,
         .group = settingText("Keys"),
         .label = settingText("Keys and presets"),
         .description =
             settingText("The Lockstep, Perfetto or Nsight Systems key bindings, and your own keys for any "
                         "command.")},
    };
}

std::vector<Setting> privacyFacts()
{
    const QString group = settingText("Privacy");
    const auto line = [&](const char* key, const QString& label, const QString& description) {
        return Setting{
            .keys = {key}, .kind = Kind::fact, .group = group, .label = label, .description = description};
    };
    return {
        line("privacy/nothing", settingText("Nothing leaves this machine"),
             settingText("No telemetry, no look-ups, no update checks: there is nothing to turn off.")),
        line("privacy/ssh", settingText("Hosts you name"),
             settingText("Contacted through your own ssh, and only while you run, watch or attach to a "
                         "session.")),
        line("privacy/sockets", settingText("Run sockets"),
             settingText(
                 "The agents of a multi-host run compare their clocks over UDP, on a port chosen by the "
                 "kernel, with a token of the run. clock_exchange: off in the session opens no sockets.")),
        line("privacy/secrets", settingText("Secrets"),
             settingText("Values of variables such as *_KEY and *_TOKEN are passed to processes and never "
                         "written; plans, logs and workspaces contain $NAME.")),
        line("privacy/files", settingText("Files written"),
             settingText("Private to you: files 0600 in folders 0700, and nothing next to your reports.")),
    };
}

std::vector<Setting> rememberedThings()
{
    const QString group = settingText("Remembered");
    const auto line = [&](const QStringList& keys, const QString& label, const QString& description) {
        return Setting{.keys = keys,
                       .kind = Kind::remembered,
                       .group = group,
                       .label = label,
                       .description = description};
    };
    return {
        {.keys = {"tour/offered"},
         .kind = Kind::toggle,
         .group = group,
         .label = settingText("Offer the tour with the demo"),
         .description = settingText(
             "Turned off once you have taken or dismissed the tour; Help > Tour starts it at any time."),
         .defaultValue = true},
        line({"open/recent", "open/recent_workspaces"}, settingText("Recent reports and workspaces"),
             settingText("The paths of up to twelve reports or folders and twelve workspaces.")),
        line({"open/folder"}, settingText("Folder of the open dialog"),
             settingText("The folder last used to open files.")),
        line({"palette/recent"}, settingText("Recent commands"),
             settingText("The last twelve commands that were run by name; offered first.")),
        line({"window/geometry", "window/layout"}, settingText("Window and panel layout"),
             settingText("The layout when the window was last closed.")),
        line({"sql/history"}, settingText("SQL history"),
             settingText("The last 50 queries that were run in the SQL panel.")),
        line({"sql/saved"}, settingText("Saved SQL queries"),
             settingText("The queries that were saved under a name in the SQL panel.")),
        line({"columns"}, settingText("Table columns"), settingText("The visible columns and their order.")),
        line({"news/version"}, settingText("Last version seen"),
             settingText("Controls when \"What's new\" is shown.")),
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
