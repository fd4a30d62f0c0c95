// SPDX-License-Identifier: Apache-2.0
#include "ui/window/key_map.h"

#include <algorithm>

#include <QCoreApplication>

namespace lockstep {

namespace {

bool canMeet(KeyScope a, KeyScope b)
{
    const auto isSession = [](KeyScope scope) { return scope == KeyScope::sessionPage; };
    if (a == KeyScope::everywhere || b == KeyScope::everywhere) return true;
    // Tables and other widgets never have the focus at the same time.
    const auto isTable = [](KeyScope scope) { return scope == KeyScope::tables; };
    const auto isElsewhere = [](KeyScope scope) {
        return scope == KeyScope::timeline || scope == KeyScope::sessionPage;
    };
    if ((isTable(a) && isElsewhere(b)) || (isTable(b) && isElsewhere(a))) return false;
    return isSession(a) == isSession(b);
}

// A sequence of two keys also conflicts with a command whose key is the first of the two.
bool doesClash(const QKeySequence& a, const QKeySequence& b)
{
    return !a.isEmpty() && !b.isEmpty() &&
           (a.matches(b) != QKeySequence::NoMatch || b.matches(a) != QKeySequence::NoMatch);
}

} // namespace

QList<QKeySequence> keysFromText(const QString& text, int* bad)
{
    QList<QKeySequence> keys;
    for (const QString& word : text.split(' ', Qt::SkipEmptyParts)) {
        const QKeySequence one = QKeySequence::fromString(word, QKeySequence::PortableText);
        const bool isKey = !one.isEmpty() && one[0].key() != Qt::Key_unknown;
        if (isKey && !keys.contains(one)) keys << one;
        if (!isKey && bad != nullptr) ++*bad;
    }
    return keys;
}

QString textFromKeys(const QList<QKeySequence>& keys)
{
    QStringList words;
    for (const QKeySequence& one : keys)
        words << one.toString(QKeySequence::PortableText).remove(' ');
    return words.join(' ');
}

QString keyInText(const QString& shownKey)
{
    return shownKey.isEmpty() ? QCoreApplication::translate("lockstep::KeyMap", "(no key)") : shownKey;
}

KeyMap::KeyMap(std::vector<KeyCommand> commands, std::span<const PresetKeys> presets)
    : m_commands(std::move(commands)), m_presets(presets)
{
}

const KeyCommand* KeyMap::find(const QString& name) const
{
    const auto found = std::ranges::find(m_commands, name, &KeyCommand::name);
    return found == m_commands.end() ? nullptr : &*found;
}

QList<QKeySequence> KeyMap::keysOf(const QString& name) const
{
    const KeyCommand* const command = find(name);
    if (command == nullptr) return {};
    if (const auto own = m_own.find(name); own != m_own.end()) return own->second;
    for (const PresetKeys& other : m_presets) {
        if (other.preset == m_preset && name == other.name) return keysFromText(other.keys);
    }
    return keysFromText(command->keys);
}

QString KeyMap::shownKeys(const QString& name) const
{
    QStringList words;
    for (const QKeySequence& keys : keysOf(name))
        words << keys.toString(QKeySequence::NativeText);
    return words.join(words.contains(",") ? "   " : ",  ");
}

QString KeyMap::shownKey(const QString& name) const
{
    const QList<QKeySequence> keys = keysOf(name);
    return keys.isEmpty() ? QString() : keys.front().toString(QKeySequence::NativeText);
}

bool KeyMap::bind(const QString& name, const QList<QKeySequence>& keys)
{
    const KeyCommand* const command = find(name);
    if (command == nullptr || command->isFixed) return false;
    m_own.erase(name);
    if (keysOf(name) != keys) m_own[name] = keys;
    return true;
}

QStringList KeyMap::conflicts(const QString& name, const QKeySequence& keys) const
{
    QStringList names;
    const KeyCommand* const command = find(name);
    if (command == nullptr) return names;
    for (const KeyCommand& other : m_commands) {
        if (other.name == name || !canMeet(command->scope, other.scope)) continue;
        const QList<QKeySequence> theirs = keysOf(other.name);
        if (std::ranges::any_of(theirs, [&](const QKeySequence& one) { return doesClash(one, keys); }))
            names << other.name;
    }
    return names;
}

QStringList KeyMap::clashes() const
{
    QStringList lines;
    for (const KeyCommand& command : m_commands) {
        for (const QKeySequence& keys : keysOf(command.name)) {
            for (const QString& other : conflicts(command.name, keys)) {
                if (find(other) > &command)
                    lines << QString("%1: %2, %3")
                                 .arg(keys.toString(QKeySequence::NativeText), command.text,
                                      find(other)->text);
            }
        }
    }
    return lines;
}

QStringList KeyMap::saved() const
{
    QStringList lines;
    for (const auto& [name, keys] : m_own)
        lines << name + '=' + textFromKeys(keys);
    return lines;
}

QStringList KeyMap::restore(const QStringList& lines)
{
    QStringList lost;
    m_own.clear();
    for (const QString& line : lines) {
        int bad = 0;
        const bool isLine = line.contains('=');
        const QList<QKeySequence> keys = keysFromText(line.mid(line.indexOf('=') + 1), &bad);
        if (!isLine || bad > 0 || !bind(line.section('=', 0, 0), keys)) lost << line;
    }
    return lost;
}

} // namespace lockstep
