// SPDX-License-Identifier: Apache-2.0
// ShellHighlighter: syntax highlighting for planned commands and files: highlights comments, settings, quoted
// text, and the program name. UI thread.
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
