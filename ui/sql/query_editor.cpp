// SPDX-License-Identifier: Apache-2.0
#include "ui/sql/query_editor.h"

#include <QAbstractItemView>
#include <QCompleter>
#include <QKeyEvent>
#include <QRegularExpression>
#include <QScrollBar>
#include <QSyntaxHighlighter>

#include "core/sql/sql_table.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

namespace {

constexpr int kMinTyped = 2; // letters typed before names are suggested

constexpr auto kKeywords =
    "SELECT|FROM|WHERE|GROUP|BY|ORDER|HAVING|LIMIT|OFFSET|AS|JOIN|LEFT|INNER|CROSS|ON|AND|OR|NOT|IN|IS|NULL|LIKE|GLOB|"
    "BETWEEN|CASE|WHEN|THEN|ELSE|END|DISTINCT|UNION|ALL|EXCEPT|INTERSECT|WITH|RECURSIVE|VALUES|ASC|DESC|EXISTS|CAST|"
    "OVER|PARTITION|USING|COUNT|SUM|AVG|MIN|MAX";

QStringList namesOfSchema()
{
    QStringList names;
    for (const SqlTable& table : sqlTables()) {
        names << QString::fromUtf8(table.name.data(), qsizetype(table.name.size()));
        for (const SqlColumn& column : table.columns)
            names << QString::fromUtf8(column.name.data(), qsizetype(column.name.size()));
    }
    names.sort();
    names.removeDuplicates();
    return names;
}

} // namespace

class QueryColors : public QSyntaxHighlighter {
  public:
    explicit QueryColors(QTextDocument* document)
        : QSyntaxHighlighter(document),
          m_keyword(QString("\\b(%1)\\b").arg(kKeywords), QRegularExpression::CaseInsensitiveOption),
          m_number("\\b[0-9][0-9._e]*\\b"), m_text("'[^']*'"), m_remark("--[^\n]*")
    {
    }

    void setTheme(const Theme& theme)
    {
        m_keywordFormat.setForeground(theme.accent);
        m_keywordFormat.setFontWeight(QFont::DemiBold);
        m_numberFormat.setForeground(theme.warn);
        m_textFormat.setForeground(theme.good);
        m_remarkFormat.setForeground(theme.mutedText);
        rehighlight();
    }

  protected:
    void highlightBlock(const QString& text) override
    {
        const std::array<std::pair<const QRegularExpression*, const QTextCharFormat*>, 4> rules{
            {{&m_keyword, &m_keywordFormat},
             {&m_number, &m_numberFormat},
             {&m_text, &m_textFormat},
             {&m_remark, &m_remarkFormat}}};
        for (const auto& [pattern, format] : rules) {
            for (auto found = pattern->globalMatch(text); found.hasNext();) {
                const auto match = found.next();
                setFormat(int(match.capturedStart()), int(match.capturedLength()), *format);
            }
        }
    }

  private:
    QRegularExpression m_keyword, m_number, m_text, m_remark;
    QTextCharFormat m_keywordFormat, m_numberFormat, m_textFormat, m_remarkFormat;
};

QueryEditor::QueryEditor(QWidget* parent)
    : QPlainTextEdit(parent), m_colors(new QueryColors(document())),
      m_completer(new QCompleter(namesOfSchema(), this))
{
    setFont(codeFont(13));
    setTabChangesFocus(true);
    setLineWrapMode(QPlainTextEdit::WidgetWidth);
    setAccessibleName(tr("Query"));
    m_completer->setWidget(this);
    m_completer->popup()->setProperty("offers", true);
    m_completer->setCaseSensitivity(Qt::CaseInsensitive);
    connect(m_completer, QOverload<const QString&>::of(&QCompleter::activated), this, &QueryEditor::complete);
}

void QueryEditor::setTheme(const Theme& theme)
{
    m_colors->setTheme(theme);
}

void QueryEditor::insertName(const QString& name)
{
    QTextCursor cursor = textCursor();
    const int at = cursor.selectionStart();
    const QChar before = at > 0 ? document()->characterAt(at - 1) : QChar(' ');
    const bool isApart = before.isSpace() || before == '.' || before == '(' || before == ',';
    cursor.insertText((isApart ? "" : " ") + name);
    setTextCursor(cursor);
    setFocus();
}

QString QueryEditor::wordAtCursor() const
{
    QTextCursor cursor = textCursor();
    cursor.select(QTextCursor::WordUnderCursor);
    return cursor.selectedText();
}

void QueryEditor::complete(const QString& name)
{
    QTextCursor cursor = textCursor();
    cursor.select(QTextCursor::WordUnderCursor);
    cursor.insertText(name);
    setTextCursor(cursor);
}

void QueryEditor::offerNames()
{
    const QString word = wordAtCursor();
    m_completer->setCompletionPrefix(word);
    const bool isWhole = m_completer->completionCount() == 1 && m_completer->currentCompletion() == word;
    if (word.size() < kMinTyped || m_completer->completionCount() == 0 || isWhole)
        return m_completer->popup()->hide();
    QRect at = cursorRect();
    at.setWidth(m_completer->popup()->sizeHintForColumn(0) +
                m_completer->popup()->verticalScrollBar()->sizeHint().width());
    m_completer->complete(at);
}

void QueryEditor::keyPressEvent(QKeyEvent* event)
{
    const bool isEnter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if (isEnter && (event->modifiers() & Qt::ControlModifier) != 0) {
        m_completer->popup()->hide();
        emit runRequested();
        return;
    }
    // The completion list handles these keys.
    const bool isForList = isEnter || event->key() == Qt::Key_Tab || event->key() == Qt::Key_Escape;
    if (m_completer->popup()->isVisible() && isForList) return event->ignore();
    QPlainTextEdit::keyPressEvent(event);
    const bool isLetter =
        !event->text().isEmpty() && (event->text()[0].isLetterOrNumber() || event->text()[0] == '_');
    if (isLetter || m_completer->popup()->isVisible()) offerNames();
}

} // namespace lockstep
