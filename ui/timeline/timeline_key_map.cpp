// SPDX-License-Identifier: Apache-2.0
#include "ui/timeline/timeline_key_map.h"

#include <algorithm>

namespace lockstep {

namespace {

QKeyCombination withoutKeypad(QKeyCombination pressed)
{
    return QKeyCombination(pressed.keyboardModifiers() & ~(Qt::KeypadModifier | Qt::GroupSwitchModifier),
                           pressed.key());
}

} // namespace

TimelineKeyMap::TimelineKeyMap()
{
    for (const CommandSpec& spec : commandSpecs()) {
        if (spec.scope != KeyScope::timeline) continue;
        for (const QKeySequence& keys : keysFromText(spec.keys))
            m_lines.push_back({keys[0], spec.id});
    }
}

TimelineKeyMap::TimelineKeyMap(const KeyMap& map)
{
    for (const CommandSpec& spec : commandSpecs()) {
        if (spec.scope != KeyScope::timeline) continue;
        for (const QKeySequence& keys : map.keysOf(spec.name))
            m_lines.push_back({keys[0], spec.id});
    }
}

std::optional<CommandId> TimelineKeyMap::commandOf(QKeyCombination pressed) const
{
    pressed = withoutKeypad(pressed);
    const auto found = std::ranges::find(m_lines, pressed, &Line::pressed);
    if (found != m_lines.end()) return found->command;
    // Shift plus a letter never falls back to the letter alone.
    const bool isLetter = pressed.key() < Qt::Key_Escape && QChar::isLetter(static_cast<uint>(pressed.key()));
    if (isLetter || (pressed.keyboardModifiers() & Qt::ShiftModifier) == 0) return std::nullopt;
    return commandOf(QKeyCombination(pressed.keyboardModifiers() & ~Qt::ShiftModifier, pressed.key()));
}

QString TimelineKeyMap::shown(CommandId command) const
{
    const auto found = std::ranges::find(m_lines, command, &Line::command);
    return found == m_lines.end() ? QString()
                                  : QKeySequence(found->pressed).toString(QKeySequence::NativeText);
}

} // namespace lockstep
