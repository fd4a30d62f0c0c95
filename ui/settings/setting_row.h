// SPDX-License-Identifier: Apache-2.0
// SettingRow: one setting on the Settings page: its label, its description, a control with the current value,
// an indicator if the value is not the default, and a reset button. If the user enters an invalid value, the
// text stays in the field, an error message appears below it, and the setting does not change. UI thread.
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
    // `setting` must outlive the row.
    explicit SettingRow(const Setting& setting, QWidget* parent = nullptr);
    ~SettingRow() override;

    const Setting& setting() const { return m_setting; }
    // Shows the current value. isChanged: the value is not the default. `remark` is a line below the control,
    // e.g. a description of what a folder contains.
    void showValue(const QVariant& value, bool isChanged);
    void setRemark(const QString& remark);
    // Shows an error message about the typed text; "" hides it.
    void setError(const QString& sentence);
    // Adds a full-width widget below the row.
    void addBelow(QWidget* widget);
    // Returns true if every word occurs in the label, description, keys or group of the setting.
    bool has(const QStringList& words) const;
    // Returns the widget that takes the focus, or nullptr for a setting without a control.
    QWidget* control() const { return m_control; }
    QString refusal() const;
    bool isMarked() const;

  signals:
    void changeRequested(const QVariant& value); // request to change the setting to a valid value
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
    QLineEdit* m_field = nullptr; // only for numbers and text
    QToolButton* m_reset;
    QVariant m_value;
};

} // namespace lockstep
