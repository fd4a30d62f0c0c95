// SPDX-License-Identifier: Apache-2.0
// KeyMap maps all commands of the program to keys: the keys of a preset, or the keys that the user assigned
// instead. Menus, tooltips, the command search, the shortcut sheet and the timeline read the map. A value
// type; UI thread.
#pragma once

#include <map>
#include <span>
#include <vector>

#include <QKeySequence>
#include <QList>
#include <QStringList>

namespace lockstep {

enum class KeyPreset : uint8_t { lockstep, perfetto, nsight, count };

// KeyScope is the part of the window in which a command's keys work. Scopes that never have the focus at the
// same time may use the same keys.
enum class KeyScope : uint8_t { everywhere, timeline, tables, sessionPage, otherPages };

struct KeyCommand {
    QString name;  // name in the settings; the same in every language and version
    QString group; // shown to the user, like `text`
    QString text;
    QString keys; // default keys: QKeySequence texts separated by spaces; "" for none
    KeyScope scope = KeyScope::everywhere;
    bool isFixed = false; // the user cannot change the keys
};

// PresetKeys holds the keys of one command in a preset. Only commands whose keys differ from the default have
// an entry.
struct PresetKeys {
    KeyPreset preset = KeyPreset::lockstep;
    const char* name = nullptr;
    const char* keys = nullptr;
};

// Parses keys such as "Ctrl+Y F3". Invalid parts are skipped and counted in *bad.
QList<QKeySequence> keysFromText(const QString& text, int* bad = nullptr);
QString textFromKeys(const QList<QKeySequence>& keys);
// Returns the shown key for use in a sentence: "(no key)" if the command has none.
QString keyInText(const QString& shownKey);

class KeyMap {
  public:
    KeyMap() = default;
    // `presets` must outlive the map. Command names are unique.
    KeyMap(std::vector<KeyCommand> commands, std::span<const PresetKeys> presets);

    const std::vector<KeyCommand>& commands() const { return m_commands; }
    // Returns the command, or nullptr if there is none with this name.
    const KeyCommand* find(const QString& name) const;

    KeyPreset preset() const { return m_preset; }
    // Changes the preset. Keys assigned by the user are preserved.
    void setPreset(KeyPreset preset) { m_preset = preset; }

    QList<QKeySequence> keysOf(const QString& name) const;
    // Returns the keys for display, in order of preference: "Ctrl+Y,  F3"; "" for none.
    QString shownKeys(const QString& name) const;
    // Returns the first key for display; "" for none.
    QString shownKey(const QString& name) const;
    bool isOwn(const QString& name) const { return m_own.contains(name); }
    bool hasOwn() const { return !m_own.empty(); }

    // Assigns these keys (possibly none) to the command, in place of the preset's keys. Returns false if the
    // command is unknown or its keys are fixed.
    bool bind(const QString& name, const QList<QKeySequence>& keys);
    // Restores the keys of the preset.
    void reset(const QString& name) { m_own.erase(name); }
    void resetAll() { m_own.clear(); }
    // Returns the names of the other commands that use the same keys, in table order.
    QStringList conflicts(const QString& name, const QKeySequence& keys) const;
    // Returns each key that several commands share, in the form "Ctrl+X: a, b", where a and b are the
    // commands' descriptions.
    QStringList clashes() const;

    // Returns the user-assigned keys, one line per command.
    QStringList saved() const;
    // Applies the lines of saved(). Lines with an unknown command or an invalid key are skipped and returned.
    QStringList restore(const QStringList& lines);

    friend bool operator==(const KeyMap& a, const KeyMap& b)
    {
        return a.m_preset == b.m_preset && a.m_own == b.m_own;
    }

  private:
    std::vector<KeyCommand> m_commands;
    std::span<const PresetKeys> m_presets;
    KeyPreset m_preset = KeyPreset::lockstep;
    std::map<QString, QList<QKeySequence>> m_own;
};

} // namespace lockstep
