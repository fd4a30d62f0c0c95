// SPDX-License-Identifier: Apache-2.0
#include "app/window/key_controller.h"

#include "app/window/key_table.h"
#include "app/window/settings.h"

namespace lockstep {

KeyController::KeyController(Settings& settings, QWidget& window)
    : m_settings(settings), m_window(window), m_keys(makeKeyTable())
{
    const std::optional<KeyPreset> preset = settings.keyPreset();
    if (preset) m_keys.setPreset(*preset);
    m_lost = m_keys.restore(settings.value("keys/own").toStringList());
    if (!preset) m_lost << "keys/preset";
    settings.bind("keys/", this, [this] { applySettings(); });
}

QString KeyController::defects() const
{
    QStringList sentences;
    if (!m_lost.isEmpty())
        sentences << tr("Unknown keys in the settings were left unchanged: %1").arg(m_lost.join("; "));
    if (const QStringList clashes = m_keys.clashes(); !clashes.isEmpty())
        sentences
            << tr("Keys assigned to several commands, which may then do nothing: %1").arg(clashes.join("; "));
    return sentences.join(". ");
}

void KeyController::setKeys(const KeyMap& keys)
{
    if (keys == m_keys) return;
    m_keys = keys;
    m_settings.setKeys(m_keys.preset(), m_keys.saved());
    emit keysChanged(m_keys);
}

void KeyController::showSheet()
{
    showShortcutSheet(&m_window, keySheet(m_keys));
}

void KeyController::applySettings()
{
    KeyMap keys = makeKeyTable();
    keys.setPreset(m_settings.keyPreset().value_or(KeyPreset::lockstep));
    keys.restore(m_settings.value("keys/own").toStringList());
    if (keys == m_keys) return;
    m_keys = keys;
    emit keysChanged(m_keys);
}

} // namespace lockstep
