// SPDX-License-Identifier: Apache-2.0
// SettingRow: one setting on the page: its label, its meaning, a control with what holds now, a mark where
// that differs from what is usual, and the way back. A value that makes no sense stays in the field, is
// refused in a sentence below it, and changes nothing. UI thread.
#pragma once

#include <QWidget>

#include "ui/settings/setting.h"

class QBoxLayout;
class QComboBox;
class QLabel;
class QLineEdit;
class QToolButton;

namespace lockstep {

class SettingRow : public QWidget {
    Q_OBJECT

  public:
    // setting is immortal.
    explicit SettingRow(const Setting& setting, QWidget* parent = nullptr);
    ~SettingRow() override;

    const Setting& setting() const { return m_setting; }
    // remark: a line below the control, e.g. what a folder holds.
    void showValue(const QVariant& value, bool isChanged);
    void setRemark(const QString& remark);
    // A sentence about what was typed; empty takes it away.
    void setRefusal(const QString& sentence);
    // What stands below the row over its whole width.
    void addBelow(QWidget* widget);
    // Every word is in its texts, its keys or its group.
    bool has(const QStringList& words) const;
    // What takes the keyboard; nullptr: a sentence takes none.
    QWidget* control() const { return m_control; }
    QToolButton* resetButton() const { return m_reset; }
    QString refusal() const;
    bool isMarked() const;

  signals:
    void changeRequested(const QVariant& value); // makes sense
    void resetRequested();

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    QWidget* makeControl();
    QWidget* makeField();
    void takeText();

    const Setting& m_setting;
    QLabel* m_mark;
    QLabel* m_remark;
    QLabel* m_refusal;
    QWidget* m_control = nullptr;
    QLineEdit* m_field = nullptr; // of numbers and texts
    QToolButton* m_reset;
    QVariant m_value;
};

} // namespace lockstep
