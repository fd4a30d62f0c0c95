// SPDX-License-Identifier: Apache-2.0
// KeyMap: which keys do what: every command of the program by name, with the keys of a preset, and those that
// a person gave it instead. Menus, tooltips, the command search, the sheet of keys and the timeline read it.
// A value; UI thread.
#pragma once

#include <map>
#include <span>
#include <vector>

#include <QKeySequence>
#include <QList>
#include <QStringList>

namespace lockstep {

enum class KeyPreset : uint8_t { lockstep, perfetto, nsight, count };

// Where keys of a command act: those of two places that are never in front together may be the same.
enum class KeyPlace : uint8_t { everywhere, timeline, tables, sessionPage, otherPages };

struct KeyCommand {
    QString name;  // of settings; the same in every language and version
    QString group; // for people, as is text
    QString text;
    QString keys; // QKeySequence texts separated by spaces; "" for none
    KeyPlace place = KeyPlace::everywhere;
    bool isFixed = false; // cannot be given other keys
};

// What a preset has other keys for.
struct PresetKeys {
    KeyPreset preset = KeyPreset::lockstep;
    const char* name = nullptr;
    const char* keys = nullptr;
};

// "Ctrl+Y F3" as keys; texts that are none are left out and counted in *bad.
QList<QKeySequence> keysFromText(const QString& text, int* bad = nullptr);
QString textFromKeys(const QList<QKeySequence>& keys);

class KeyMap {
  public:
    KeyMap() = default;
    // presets is immortal. Names are unique.
    KeyMap(std::vector<KeyCommand> commands, std::span<const PresetKeys> presets);

    const std::vector<KeyCommand>& commands() const { return m_commands; }
    // nullptr: there is no such command.
    const KeyCommand* find(const QString& name) const;

    KeyPreset preset() const { return m_preset; }
    // Keys that a person gave stay.
    void setPreset(KeyPreset preset) { m_preset = preset; }

    QList<QKeySequence> keysOf(const QString& name) const;
    // For people, in the order of preference: "Ctrl+Y,  F3"; "" for none.
    QString shownKeys(const QString& name) const;
    // The first of them; "" for none.
    QString shownKey(const QString& name) const;
    bool isOwn(const QString& name) const { return m_own.contains(name); }
    bool hasOwn() const { return !m_own.empty(); }

    // Only these from now on; none at all is possible. False for a command whose keys are fixed or unknown.
    bool bind(const QString& name, const QList<QKeySequence>& keys);
    // As the preset has it.
    void reset(const QString& name) { m_own.erase(name); }
    void resetAll() { m_own.clear(); }
    // Other commands that the keys would run as well, in the order of the table.
    QStringList conflicts(const QString& name, const QKeySequence& keys) const;
    // All keys that two commands have, as "Ctrl+X: a, b" by their words; empty when all is well.
    QStringList clashes() const;

    // What a person gave, a line a command.
    QStringList saved() const;
    // Takes what saved() gave; what is no command or no key (any more) is left out and returned.
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
