// SPDX-License-Identifier: Apache-2.0
// AnalysisList: all analyses by subject, with a field that finds one by its name or title. UI thread.
#pragma once

#include <QWidget>

#include "core/analysis/analysis.h"

class QLineEdit;
class QTreeWidget;

namespace lockstep {

class AnalysisList : public QWidget {
    Q_OBJECT

  public:
    explicit AnalysisList(QWidget* parent = nullptr);

    // Never nullptr.
    const Analysis* current() const { return m_current; }
    void select(const Analysis& analysis);
    QLineEdit* search() const { return m_search; }
    QTreeWidget* tree() const { return m_tree; }

  signals:
    void chosen(const Analysis& analysis);

  private:
    void filter(const QString& text);

    const Analysis* m_current;
    QLineEdit* m_search;
    QTreeWidget* m_tree;
};

} // namespace lockstep
