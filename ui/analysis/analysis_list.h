// SPDX-License-Identifier: Apache-2.0
// AnalysisList lists all analyses by subject, each with its title and its command-line identifier, and has a
// field that searches both. UI thread.
#pragma once

#include <QWidget>

#include "core/analysis/analysis.h"

class QLineEdit;
class QTreeWidget;

namespace lockstep {

class AnalysisList : public QWidget {
    Q_OBJECT

  public:
    // Item role for the command-line identifier, e.g. "cuda_gpu_kern_sum"; groups have no value.
    static constexpr int kNameRole = Qt::UserRole + 1;

    explicit AnalysisList(QWidget* parent = nullptr);

    // Never nullptr.
    const Analysis* current() const { return m_current; }
    void select(const Analysis& analysis);
    QLineEdit* search() const { return m_search; }
    QTreeWidget* tree() const { return m_tree; }

  signals:
    void chosen(const Analysis& analysis);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void filter(const QString& text);
    void step(bool isForward);

    const Analysis* m_current;
    QLineEdit* m_search;
    QTreeWidget* m_tree;
};

} // namespace lockstep
