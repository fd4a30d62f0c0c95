// SPDX-License-Identifier: Apache-2.0
#include "ui/session/shell_highlighter.h"

#include <QRegularExpression>

namespace lockstep {

void ShellHighlighter::setTheme(const Theme& theme)
{
    m_theme = &theme;
    rehighlight();
}

void ShellHighlighter::highlightBlock(const QString& text)
{
    static const QRegularExpression kSetting(
        "(?:'[^']*=[^']*'|(?<!\\S)[A-Za-z_+~][\\w.+-]*=\\S+|\"[^\"]*\"|'[^']*')");
    static const QRegularExpression kProgram(
        "^(?:[A-Za-z_]\\w*=\\S+ )*(?:cd|python3?|nsys|torchrun|ray|uv|sbatch|srun)\\b");
    static const QRegularExpression kComment("^\\s*#.*");
    const QColor program = m_theme->category(SliceCategory::synchronization);
    const auto paint = [&](const QRegularExpression& pattern, const QColor& color) {
        for (auto matches = pattern.globalMatch(text); matches.hasNext();) {
            const QRegularExpressionMatch match = matches.next();
            setFormat(static_cast<int>(match.capturedStart()), static_cast<int>(match.capturedLength()),
                      color);
        }
    };
    paint(kProgram, program);
    paint(kSetting, m_theme->good);
    paint(kComment, m_theme->mutedText);
}

} // namespace lockstep
