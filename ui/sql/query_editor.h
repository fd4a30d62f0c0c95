// SPDX-License-Identifier: Apache-2.0
// QueryEditor: where a query is written: keywords, texts and remarks in their colours, names of tables and
// columns completed as they are typed. UI thread.
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
    // Puts a name where the cursor is, with a blank before it where one is needed.
    void insertName(const QString& name);

  signals:
    // Ctrl+Enter.
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
