// SPDX-License-Identifier: Apache-2.0
// CompareBar: the line above a comparison: what is compared with what, how the halves are coupled, and the
// buttons that swap, unlink and close them. It says what was asked; the CompareView does it. UI thread.
#pragma once

#include <QWidget>

#include "core/timeline/compared_halves.h"
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
    // What could not be held against each other; behind a word that opens it.
    void setNotes(const std::vector<std::string>& notes);
    void setTheme(const Theme& theme);
    // Without telling.
    void showCoupling(CouplingRule rule, bool hasCollectives);
    void showLinked(bool isLinked, bool hasSameZoom);
    CouplingRule coupling() const;
    QPushButton* swapButton() const { return m_swap; }
    QPushButton* linkButton() const { return m_link; }
    QPushButton* closeButton() const { return m_close; }
    QCheckBox* sameZoom() const { return m_sameZoom; }
    QButtonGroup* rules() const { return m_rules; }
    QToolButton* notes() const { return m_notes; }

  signals:
    void couplingChosen(CouplingRule rule);
    void sameZoomToggled(bool isOn);
    void swapRequested();
    void linkRequested(bool isLinked);
    void closeRequested();
    void choiceRequested(); // another A or B

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
