// SPDX-License-Identifier: Apache-2.0
// ShellHighlighter: colours of planned commands and files: comments, settings, quoted words, the program that
// runs. UI thread.
#pragma once

#include <QSyntaxHighlighter>

#include "ui/style/theme.h"

namespace lockstep {

class ShellHighlighter : public QSyntaxHighlighter {
    Q_OBJECT

  public:
    explicit ShellHighlighter(QTextDocument* document) : QSyntaxHighlighter(document) {}

    void setTheme(const Theme& theme);

  protected:
    void highlightBlock(const QString& text) override;

  private:
    const Theme* m_theme = &lightTheme();
};

} // namespace lockstep
