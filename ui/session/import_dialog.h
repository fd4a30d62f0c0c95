// SPDX-License-Identifier: Apache-2.0
// ImportDialog: imports pasted text as a session: a command line with its settings and variables. UI thread.
#pragma once

#include <functional>

#include <QDialog>

#include "core/session/import_text.h"

class QLabel;
class QPlainTextEdit;

namespace lockstep {

class ImportDialog : public QDialog {
    Q_OBJECT

  public:
    using Read = std::function<Result<ImportedSession>(std::string_view)>;

    ImportDialog(const QString& title, const QString& hint, Read read, QWidget* parent);

    QPlainTextEdit* text() const { return m_text; }
    void accept() override;

  signals:
    void imported(const ImportedSession& session);

  private:
    Read m_read;
    QPlainTextEdit* m_text;
    QLabel* m_problem;
};

} // namespace lockstep
