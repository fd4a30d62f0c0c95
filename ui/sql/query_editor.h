// SPDX-License-Identifier: Apache-2.0
// QueryEditor: the editor of a SQL query, with syntax highlighting and completion of table and column names.
// UI thread.
#pragma once

#include <QPlainTextEdit>

#include "ui/style/theme.h"

class QCompleter;

namespace lockstep {

class QueryColors;

class QueryEditor : public QPlainTextEdit {
    Q_OBJECT

  public:
    explicit QueryEditor(QWidget* parent = nullptr);

    void setTheme(const Theme& theme);
    // Inserts a name at the cursor, preceded by a space if needed.
    void insertName(const QString& name);

  signals:
    // Emitted when the user presses Ctrl+Enter.
    void runRequested();

  protected:
    void keyPressEvent(QKeyEvent* event) override;

  private:
    QString wordAtCursor() const;
    void complete(const QString& name);
    void offerNames();

    QueryColors* m_colors;
    QCompleter* m_completer;
};

} // namespace lockstep
