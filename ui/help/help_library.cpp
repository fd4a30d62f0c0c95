// SPDX-License-Identifier: Apache-2.0
#include "ui/help/help_library.h"

#include <algorithm>

#include <QFile>
#include <QRegularExpression>

namespace lockstep {

namespace {

HelpPage helpPageOf(const QString& name)
{
    QFile file(":/lockstep/help/" + name + ".md");
    HelpPage page{name, {}, {}};
    if (!file.open(QIODevice::ReadOnly)) return page;
    page.text = QString::fromUtf8(file.readAll());
    page.title = page.text.section('\n', 0, 0).mid(2);
    return page;
}

bool hasAll(const QString& text, const QStringList& words)
{
    return std::ranges::all_of(words,
                               [&](const QString& word) { return text.contains(word, Qt::CaseInsensitive); });
}

} // namespace

HelpLibrary::HelpLibrary()
{
    m_pages.push_back(helpPageOf("index"));
    static const QRegularExpression kLink("\\]\\(([a-z_]+)\\.md\\)");
    const QString index = m_pages.front().text;
    for (auto link = kLink.globalMatch(index); link.hasNext();)
        m_pages.push_back(helpPageOf(link.next().captured(1)));
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
