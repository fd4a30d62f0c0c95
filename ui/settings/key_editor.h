// SPDX-License-Identifier: Apache-2.0
// KeyEditor: the table of keyboard shortcuts: a preset, and the keys of each command. If the new keys belong
// to another command, the editor warns before it removes them from that command. Changes take effect
// immediately. UI thread.
#pragma once

#include <QWidget>

#include "ui/window/key_map.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QTreeWidget;
class QTreeWidgetItem;

namespace lockstep {

class KeyPressEdit;

class KeyEditor : public QWidget {
    Q_OBJECT

  public:
    // `presets`: names of the presets, in order.
    KeyEditor(KeyMap keys, const QStringList& presets, QWidget* parent = nullptr);

    const KeyMap& keys() const { return m_keys; }
    // Shows keys that were changed elsewhere.
    void setKeys(const KeyMap& keys);
    void choose(const QString& command);

    QTreeWidget* list() const { return m_list; }
    KeyPressEdit* press() const { return m_press; }
    QComboBox* preset() const { return m_preset; }
    QLabel* verdict() const { return m_conflicts; }
    QPushButton* addButton() const { return m_add; }
    QPushButton* removeButton() const { return m_remove; }
    QPushButton* resetButton() const { return m_reset; }

  signals:
    void keysChanged(const KeyMap& keys);

  private:
    void makeList();
    QWidget* makeEditing();
    void fill();
    void showKeys();
    void filter(const QString& text);
    void showChosen();
    void showConflicts();
    void take(bool isOnly);
    void change();
    QString chosen() const;
    QStringList enumNames(const QStringList& commands) const;

    KeyMap m_keys;
    QComboBox* m_preset;
    QLineEdit* m_filter;
    QTreeWidget* m_list;
    QLabel* m_commandLabel;
    KeyPressEdit* m_press;
    QLabel* m_conflicts;
    QPushButton* m_add;
    QPushButton* m_only;
    QPushButton* m_remove;
    QPushButton* m_reset;
    QPushButton* m_resetAll;
};

} // namespace lockstep
