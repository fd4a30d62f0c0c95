// SPDX-License-Identifier: Apache-2.0
// KeyController holds the shortcuts of a window, which are stored in the settings. It announces changes and
// opens the shortcut sheet. UI thread.
#pragma once

#include <QObject>

#include "core/base/help_topic.h"
#include "ui/window/key_map.h"

class QWidget;

namespace lockstep {

class Settings;

class KeyController : public QObject {
    Q_OBJECT

  public:
    // `window` is the parent of dialogs. Both arguments outlive the controller.
    KeyController(Settings& settings, QWidget& window);

    const KeyMap& keys() const { return m_keys; }
    // Sets the keys for this window and stores them for later windows.
    void setKeys(const KeyMap& keys);
    // Returns sentences about invalid keys in the settings (the preset is used instead) and about keys
    // assigned to several commands; empty if there are none.
    QString defects() const;
    static constexpr HelpTopic kDefectHelp = HelpTopic::keys; // help topic for the sentences of defects()

    void showSheet();

  signals:
    void keysChanged(const KeyMap& keys);

  private:
    // Applies the current settings.
    void applySettings();
    Settings& m_settings;
    QWidget& m_window;
    KeyMap m_keys;
    QStringList m_lost;
};

} // namespace lockstep
