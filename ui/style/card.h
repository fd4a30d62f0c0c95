// SPDX-License-Identifier: Apache-2.0
// Card is a framed section of a page: it has a heading, a muted remark after the heading, controls at the
// right end, and the content below. UI thread.
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

    void setHeading(const QString& heading);
    // Sets the remark after the heading; plain text.
    void setRemark(const QString& remark);

  protected:
    // Returns the layout of the heading line, to which controls can be added at the right end.
    QHBoxLayout* header() const { return m_header; }
    QVBoxLayout* lines() const { return m_lines; }

  private:
    QVBoxLayout* m_lines;
    QHBoxLayout* m_header;
    QLabel* m_title;
    QLabel* m_remark;
};

} // namespace lockstep
