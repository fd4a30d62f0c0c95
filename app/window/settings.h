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
    // `context` exists. Not called for remember() and the setters below, whose callers apply the value
    // themselves.
    void bind(const QString& prefix, QObject* context, std::function<void()> read);
    // Writes a valid value to the file before returning. If writing fails, writeError() returns the reason.
    void set(const QString& key, const QVariant& value);
    // Stores a value that the caller has applied itself, or state for the next start. Numbers are clamped to
    // the limits in the table. The file is written later, see write().
    void remember(const QString& key, const QVariant& value);
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
    // Returns the rule for collapsing gaps on the timeline.
    GapRule gapRule() const;
    // Returns the default row height in pixels at scale 1, used for lanes without a height in the workspace.
    int rowHeight() const;
    // If the ruler shows the clock of a report, the report itself is not stored, because it may not be open
    // next time.
    RulerTime rulerTime() const;
    void setRulerTime(const RulerTime& time);
    // Text scale, 0.8 to 2; 1 is 13 px text.
    double fontScale() const { return value("look/font_scale").toDouble(); }

    // Returns the preset, or nullopt if the file contains an unknown preset.
    std::optional<KeyPreset> keyPreset() const;
    // own: the user's keys in the format of KeyMap::saved().
    void setKeys(KeyPreset preset, const QStringList& own);

    // Returns the options for reports that are too large for memory. Fields that are unset in `options` come
    // from the settings or default to the user's cache folder.
    SpillFolder::Options disk(SpillFolder::Options options = {}) const;

    // Returns which actions are taken when a run ends.
    EndOptions runEnd() const;
    void setRunEnd(const EndOptions& options);

  signals:
    void changed(const QString& name); // see bind()

  private:
    QSettings m_store;
    bool m_isNew = false;
    QString m_damage; // sentence about a corrupt file, or empty
};

// Returns the memory limit for open reports.
uint64_t memoryLimit_bytes(const Settings& settings);

} // namespace lockstep
