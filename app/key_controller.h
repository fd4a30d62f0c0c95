// SPDX-License-Identifier: Apache-2.0
// KeyController: the keys of a window, as the settings keep them: gives them to all who show or obey them,
// and opens the sheet of them. UI thread.
#pragma once

#include <QObject>

#include "ui/window/key_map.h"

class QWidget;

namespace lockstep {

class Settings;

class KeyController : public QObject {
    Q_OBJECT

  public:
    // window is what dialogs stand before; both outlive this.
    KeyController(Settings& settings, QWidget& window);

    const KeyMap& keys() const { return m_keys; }
    // From now on, and in later windows.
    void setKeys(const KeyMap& keys);
    // What of the settings made no sense, and is left as it is in the preset, and keys of several commands,
    // as sentences; empty: all is well.
    QString flaws() const;

    // As the settings have them now.
    void takeSettings();

    void showSheet();

  signals:
    void keysChanged(const KeyMap& keys);

  private:
    Settings& m_settings;
    QWidget& m_window;
    KeyMap m_keys;
    QStringList m_lost;
};

} // namespace lockstep
