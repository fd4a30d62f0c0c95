// SPDX-License-Identifier: Apache-2.0
// Settings stores the settings and what the window remembers between starts, in one file in the user's XDG
// configuration folder. The table of settings defines the keys and their limits. Code that uses a setting
// calls bind() to follow its changes. Nothing is written next to the reports. UI thread.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include <QByteArray>
#include <QObject>
#include <QSettings>

#include "core/base/help_topic.h"
#include "core/base/spill_folder.h"
#include "core/timeline/axis_folds.h"
#include "ui/run/side_cards.h"
#include "ui/timeline/ruler_bar.h"
#include "ui/window/key_map.h"

namespace lockstep {

enum class ThemeChoice { system, light, dark };

class Settings : public QObject {
    Q_OBJECT

  public:
    // An empty path selects the user's own file in the application's configuration folder. A corrupt file is
    // copied to FILE.damaged.
    explicit Settings(const QString& file = {});

    QString file() const { return m_store.fileName(); }
    // Returns true if the file had no settings when it was opened.
    bool isNew() const { return m_isNew; }
    // Returns the valid value in the file, otherwise the default. `key` must be in the table.
    QVariant value(const QString& key) const;
    // Returns true if the file has a value other than the default.
    bool isChanged(const QString& key) const;
    // Calls `read` after set() or reset() changed a setting whose name starts with `prefix`, as long as
    // `context` exists. Not called for the setters below, whose callers apply the value themselves.
    void bind(const QString& prefix, QObject* context, std::function<void()> read);
    // Writes a valid value to the file before returning. If writing fails, writeError() returns the reason.
    void set(const QString& key, const QVariant& value);
    // Resets the key and all other keys in the same table row to their defaults.
    void reset(const QString& key);
    // Resets all settings except remembered state.
    void resetAll();
    // Returns a sentence with the reason if the file cannot be written, otherwise an empty string.
    QString writeError() const;
    // The help topic that explains writeError() and defects().
    static constexpr HelpTopic kDefectHelp = HelpTopic::settingsFile;
    // Returns one sentence for each corrupt, unknown or invalid entry in the file, with the value used
    // instead.
    QStringList defects() const;
    // Writes pending changes to the file now; otherwise Qt writes them when idle or at the end.
    void write() { m_store.sync(); }

    ThemeChoice themeChoice() const;
    void setThemeChoice(ThemeChoice choice);
    bool isColorBlind() const { return value("look/color_blind").toBool(); }
    void setColorBlind(bool isOn) { put("look/color_blind", isOn); }
    // Returns the rule for collapsing gaps on the timeline.
    GapRule gapRule() const;
    // Returns the default row height in pixels at scale 1, used for lanes without a height in the workspace.
    int rowHeight() const;
    void setRowHeight(int height);
    // If the ruler shows the clock of a report, the report itself is not stored, because it may not be open
    // next time.
    RulerTime rulerTime() const;
    void setRulerTime(const RulerTime& time);
    // Text scale, 0.8 to 2; 1 is 13 px text.
    double fontScale() const { return value("look/font_scale").toDouble(); }
    void setFontScale(double scale);

    // Returns the preset, or nullopt if the file contains an unknown preset.
    std::optional<KeyPreset> keyPreset() const;
    // Returns the user's keys in the format of KeyMap::saved().
    QStringList ownKeys() const { return value("keys/own").toStringList(); }
    void setKeys(KeyPreset preset, const QStringList& own);

    // Recent report files and folders, and recent workspaces. Both lists start with the newest path and have
    // at most 12 entries.
    std::vector<std::filesystem::path> recent() const { return paths("open/recent"); }
    std::vector<std::filesystem::path> recentWorkspaces() const { return paths("open/recent_workspaces"); }
    void addRecent(const std::vector<std::filesystem::path>& paths) { add("open/recent", paths); }
    void addRecentWorkspace(const std::filesystem::path& path) { add("open/recent_workspaces", {path}); }
    void clearRecent() { reset("open/recent"); }

    // Memory limit for open reports.
    uint64_t memoryLimit_bytes() const;

    // Returns the options for reports that are too large for memory. Fields that are unset in `options` come
    // from the settings or default to the user's cache folder.
    SpillFolder::Options disk(SpillFolder::Options options = {}) const;

    // Returns which actions are taken when a run ends.
    EndOptions runEnd() const;
    void setRunEnd(const EndOptions& options);

    QByteArray geometry() const { return value("window/geometry").toByteArray(); }
    QByteArray layout() const { return value("window/layout").toByteArray(); }
    void setWindow(const QByteArray& geometry, const QByteArray& layout);
    // Folder in which the open dialog starts; empty by default.
    QString lastFolder() const { return value("open/folder").toString(); }
    void setLastFolder(const QString& folder) { put("open/folder", folder); }

    // Visible columns of a table, in the table's own format; empty by default.
    QString columns(const QString& table) const { return value("columns/" + table).toString(); }
    void setColumns(const QString& table, const QString& text) { put("columns/" + table, text); }
    // Queries of the SQL panel in the panel's own format, by list: "history" or "saved"; empty by default.
    QString queries(const QString& list) const { return value("sql/" + list).toString(); }
    void setQueries(const QString& list, const QString& text) { put("sql/" + list, text); }

  signals:
    void changed(const QString& name); // see bind()

  private:
    // Numbers are clamped to the limits in the table.
    void put(const QString& key, const QVariant& value);
    std::vector<std::filesystem::path> paths(const char* list) const;
    void add(const char* list, const std::vector<std::filesystem::path>& added);

    QSettings m_store;
    bool m_isNew = false;
    QString m_damage; // sentence about a corrupt file, or empty
};

} // namespace lockstep
