// SPDX-License-Identifier: Apache-2.0
// CompareBar is the bar above a comparison: it shows the two sides and how their panes are aligned, and has
// buttons that swap, unlink and close the panes. It only emits requests; CompareView carries them out. UI
// thread.
#pragma once

#include <QWidget>

#include "core/compare/compared_sides.h"
#include "ui/style/theme.h"

class QButtonGroup;
class QCheckBox;
class QLabel;
class QPushButton;
class QToolButton;

namespace lockstep {

class CompareBar : public QWidget {
    Q_OBJECT

  public:
    explicit CompareBar(QWidget* parent = nullptr);

    void setTitles(const QString& a, const QString& b);
    // Sets the notes about what could not be compared. A button opens the notes; the button is hidden if
    // there are no notes.
    void setNotes(const std::vector<std::string>& notes);
    void setTheme(const Theme& theme);
    // Update the controls without emitting signals.
    void showCoupling(CouplingRule rule, bool hasCollectives);
    void showLinked(bool isLinked, bool hasSameZoom);
    CouplingRule coupling() const;
    QButtonGroup* rules() const { return m_rules; }
    QToolButton* notes() const { return m_notes; }

  signals:
    void couplingChosen(CouplingRule rule);
    void sameZoomToggled(bool isOn);
    void swapRequested();
    void linkRequested(bool isLinked);
    void closeRequested();
    void choiceRequested(); // request to choose a different A or B

  protected:
    void resizeEvent(QResizeEvent* event) override;

  private:
    void elide();

    const Theme* m_theme = &lightTheme();
    QString m_titles[2];
    QLabel* m_tags[2];
    QPushButton* m_names[2];
    QLabel* m_by;
    QButtonGroup* m_rules;
    QToolButton* m_notes;
    QCheckBox* m_sameZoom;
    QPushButton *m_swap, *m_link, *m_close;
    bool m_isLinked = true;
};

} // namespace lockstep
