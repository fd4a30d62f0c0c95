// SPDX-License-Identifier: Apache-2.0
// Card: a framed part of a page: a heading, a muted remark behind it, tools at its right end and, below,
// whatever the part consists of. UI thread.
#pragma once

#include <QFrame>

class QHBoxLayout;
class QLabel;
class QVBoxLayout;

namespace lockstep {

class Card : public QFrame {
    Q_OBJECT

  public:
    Card(const QString& heading, QWidget* parent);

    // Behind the heading; plain text, cut short where the card is narrow.
    void setHeading(const QString& heading);
    void setRemark(const QString& remark);

  protected:
    // The heading's line, for what stands at its right end.
    QHBoxLayout* head() const { return m_head; }
    QVBoxLayout* lines() const { return m_lines; }

  private:
    QVBoxLayout* m_lines;
    QHBoxLayout* m_head;
    QLabel* m_title;
    QLabel* m_remark;
};

} // namespace lockstep
