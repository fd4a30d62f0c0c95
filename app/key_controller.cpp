// SPDX-License-Identifier: Apache-2.0
#include "app/key_controller.h"

#include "app/key_table.h"
#include "app/settings.h"
#include "ui/panels/key_dialog.h"

namespace lockstep {

KeyController::KeyController(Settings& settings, QWidget& window)
    : m_settings(settings), m_window(window), m_keys(makeKeyTable())
{
    m_keys.setPreset(settings.keyPreset());
    m_lost = m_keys.restore(settings.ownKeys());
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

void KeyController::openDialog()
{
    if (m_dialog != nullptr) return m_dialog->raise();
    QStringList presets;
    for (int i = 0; i < static_cast<int>(KeyPreset::count); ++i)
        presets << presetName(static_cast<KeyPreset>(i));
    m_dialog = new KeyDialog(m_keys, presets, &m_window);
    connect(m_dialog, &KeyDialog::keysChanged, this, &KeyController::setKeys);
    m_dialog->show();
}

} // namespace lockstep
