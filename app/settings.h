// SPDX-License-Identifier: Apache-2.0
// Settings: what the window remembers between runs, in one file under the user's XDG configuration folder, by
// the table of settings. Nothing is written beside the reports. UI thread.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include <QByteArray>
#include <QSettings>

#include "core/base/spill_folder.h"
#include "core/timeline/axis_folds.h"
#include "ui/run/side_cards.h"
#include "ui/timeline/ruler_bar.h"
#include "ui/window/key_map.h"

namespace lockstep {

enum class ThemeChoice { system, light, dark };

class Settings {
  public:
    // An empty path means the user's own file (config folder of the application name). Of a damaged file a
    // copy is left beside it.
    explicit Settings(const QString& file = {});

    QString file() const { return m_store.fileName(); }
    // No window has kept anything in the file yet.
    bool isNew() const { return m_isNew; }
    // What holds: the file's word where it makes sense, else what is usual. key: one of the table.
    QVariant value(const QString& key) const;
    // The file says otherwise than what is usual.
    bool isChanged(const QString& key) const;
    // value makes sense. In the file when this returns; else trouble() says why not.
    void set(const QString& key, const QVariant& value);
    // As at first; with all other keys of its line in the table.
    void reset(const QString& key);
    // What is remembered and not set stays.
    void resetAll();
    // Why the file cannot be written, in a sentence; empty: it can.
    QString trouble() const;
    // What of the file is damaged, unknown or makes no sense, and what holds instead; sentences.
    QStringList flaws() const;
    // What was set is in the file then; else at the next pause or the end.
    void write() { m_store.sync(); }

    ThemeChoice themeChoice() const;
    void setThemeChoice(ThemeChoice choice);
    bool isColorBlind() const { return value("look/color_blind").toBool(); }
    void setColorBlind(bool isOn) { put("look/color_blind", isOn); }
    // Which silence the timeline folds.
    GapRule gapRule() const;
    // Of the timeline, pixels at scale 1, for what no workspace says otherwise of.
    int rowHeight() const;
    void setRowHeight(int height);
    // Of which report is not kept: it may not be there.
    RulerTime rulerTime() const;
    void setRulerTime(const RulerTime& time);
    // 0.8 .. 2; 1 is 13 px text.
    double fontScale() const { return value("look/font_scale").toDouble(); }
    void setFontScale(double scale);

    // Absent: the file has a word that is none.
    std::optional<KeyPreset> keyPreset() const;
    // As KeyMap::saved() has them.
    QStringList ownKeys() const { return value("keys/own").toStringList(); }
    void setKeys(KeyPreset preset, const QStringList& own);

    // Newest first, at most 12 of each: files and folders of reports, and workspaces.
    std::vector<std::filesystem::path> recent() const { return paths("open/recent"); }
    std::vector<std::filesystem::path> recentWorkspaces() const { return paths("open/recent_workspaces"); }
    void addRecent(const std::vector<std::filesystem::path>& paths) { add("open/recent", paths); }
    void addRecentWorkspace(const std::filesystem::path& path) { add("open/recent_workspaces", {path}); }
    void clearRecent() { reset("open/recent"); }

    // Percent of the machine's memory that open reports may take: 10 .. 95, at first 70.
    int memoryPercent() const { return value("open/memory_percent").toInt(); }
    void setMemoryPercent(int percent);
    uint64_t memoryLimit_bytes() const;

    // For reports too large for memory: what `said` leaves open is what was set, or the user's cache.
    SpillFolder::Options disk(SpillFolder::Options said = {}) const;

    // What is done when a run ends.
    EndOptions runEnd() const;
    void setRunEnd(const EndOptions& options);

    QByteArray geometry() const { return value("window/geometry").toByteArray(); }
    QByteArray layout() const { return value("window/layout").toByteArray(); }
    void setWindow(const QByteArray& geometry, const QByteArray& layout);
    // Where the open dialog starts; empty at first.
    QString lastFolder() const { return value("open/folder").toString(); }
    void setLastFolder(const QString& folder) { put("open/folder", folder); }

    // Which columns a table shows, as it writes them; empty at first.
    QString columns(const QString& table) const { return value("columns/" + table).toString(); }
    void setColumns(const QString& table, const QString& text) { put("columns/" + table, text); }

  private:
    void put(const QString& key, const QVariant& value);
    std::vector<std::filesystem::path> paths(const char* list) const;
    void add(const char* list, const std::vector<std::filesystem::path>& added);

    QSettings m_store;
    bool m_isNew = false;
    QString m_damage; // a sentence
};

} // namespace lockstep
