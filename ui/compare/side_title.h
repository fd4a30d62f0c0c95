// SPDX-License-Identifier: Apache-2.0
// SideTitle is the line above the lanes of one pane of a comparison: the pane's tag, its title with the
// length, and a description of the hardware. UI thread.
#pragma once

#include <QWidget>

#include "ui/compare/delta_painter.h"

namespace lockstep {

class SideTitle : public QWidget {
    Q_OBJECT

  public:
    explicit SideTitle(QWidget* parent = nullptr);

    void setTexts(const QString& mark, const QString& title, const QString& facts);
    void setLook(const ComparisonLook& look);
    QString title() const { return m_title; }
    QString facts() const { return m_facts; }
    QSize sizeHint() const override;

  protected:
    void paintEvent(QPaintEvent* event) override;

  private:
    ComparisonLook m_look;
    QString m_mark, m_title, m_facts;
};

} // namespace lockstep
