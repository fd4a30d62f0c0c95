// SPDX-License-Identifier: Apache-2.0
#include "ui/help/help_library.h"

#include <algorithm>
#include <map>

#include <QFile>
#include <QRegularExpression>

namespace lockstep {

namespace {

// Maps the code span of the first default key of each command to the code span of its current key.
std::map<QString, QString> keySpans(const KeyMap& keys)
{
    std::map<QString, QString> spans;
    for (const KeyCommand& command : keys.commands()) {
        if (command.isFixed || command.keys.isEmpty()) continue;
        const QString shown = keys.shownKey(command.name);
        // In Markdown, a code span with a backtick is enclosed in two.
        const QString mark = shown.contains('`') ? "`` " : "`";
        const QString text =
            shown.isEmpty() ? keyInText(shown) : mark + shown + (mark.size() > 1 ? " ``" : "`");
        spans.emplace('`' + command.keys.section(' ', 0, 0) + '`', text);
    }
    return spans;
}

QString withKeys(const QString& text, const std::map<QString, QString>& spans)
{
    static const QRegularExpression kCode("`[^`\\n]+`");
    QString replaced;
    qsizetype end = 0;
    for (auto found = kCode.globalMatch(text); found.hasNext();) {
        const QRegularExpressionMatch code = found.next();
        const auto span = spans.find(code.captured());
        if (span == spans.end()) continue;
        replaced += text.mid(end, code.capturedStart() - end) + span->second;
        end = code.capturedEnd();
    }
    return replaced + text.mid(end);
}

HelpPage helpPageOf(const QString& name, const std::map<QString, QString>& spans)
{
    QFile file(":/lockstep/help/" + name + ".md");
    HelpPage page{name, {}, {}};
    if (!file.open(QIODevice::ReadOnly)) return page;
    page.text = withKeys(QString::fromUtf8(file.readAll()), spans);
    page.title = page.text.section('\n', 0, 0).mid(2);
    return page;
}

bool hasAll(const QString& text, const QStringList& words)
{
    return std::ranges::all_of(words,
                               [&](const QString& word) { return text.contains(word, Qt::CaseInsensitive); });
}

} // namespace

HelpLibrary::HelpLibrary(const KeyMap& keys)
{
    const std::map<QString, QString> spans = keySpans(keys);
    m_pages.push_back(helpPageOf("index", spans));
    static const QRegularExpression kLink("\\]\\(([a-z_]+)\\.md\\)");
    const QString index = m_pages.front().text;
    for (auto link = kLink.globalMatch(index); link.hasNext();)
        m_pages.push_back(helpPageOf(link.next().captured(1), spans));
}

const HelpPage* HelpLibrary::find(const QString& name) const
{
    const QString plain = name.endsWith(".md") ? name.chopped(3) : name;
    const auto found = std::ranges::find(m_pages, plain, &HelpPage::name);
    return found == m_pages.end() ? nullptr : &*found;
}

std::vector<const HelpPage*> HelpLibrary::search(const QString& words) const
{
    const QStringList all = words.split(' ', Qt::SkipEmptyParts);
    std::vector<const HelpPage*> found;
    for (const HelpPage& page : m_pages) {
        if (hasAll(page.text, all)) found.push_back(&page);
    }
    std::ranges::stable_partition(found, [&](const HelpPage* page) { return hasAll(page->title, all); });
    return found;
}

} // namespace lockstep
