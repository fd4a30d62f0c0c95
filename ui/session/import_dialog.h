// SPDX-License-Identifier: Apache-2.0
// ImportDialog: imports text as a session: a script, or a command line with its settings and variables. Asks
// for each value that a script does not contain. UI thread.
#pragma once

#include <functional>

#include <QDialog>

#include "core/session/import_text.h"

class QFormLayout;
class QLabel;
class QLineEdit;
class QPlainTextEdit;

namespace lockstep {

class ImportDialog : public QDialog {
    Q_OBJECT

  public:
    using Read = std::function<Result<ImportedSession>(std::string_view text, const TextPairs& values)>;

    ImportDialog(const QString& title, const QString& hint, Read read, QWidget* parent);

    // Shows the text of a file, which cannot be edited, and the fields for its unknown values.
    void showFile(const QString& text, const ImportedSession& session);
    QPlainTextEdit* text() const { return m_text; }
    // Imports the text. Stays open to ask for values that have no field yet.
    void accept() override;

  signals:
    void imported(const ImportedSession& session);

  private:
    // Returns false if every unknown value already has a field.
    bool addFields(const ImportedSession& session);

    Read m_read;
    QPlainTextEdit* m_text;
    QLabel* m_problem;
    QLabel* m_question;
    QWidget* m_area; // scrolls the fields
    QFormLayout* m_fields;
    std::vector<std::pair<std::string, QLineEdit*>> m_values; // by variable
};

} // namespace lockstep
