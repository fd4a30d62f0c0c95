// SPDX-License-Identifier: Apache-2.0
// HelpLibrary: the pages of resources/help as the program carries them: short Markdown texts, one a task,
// that link to each other as "clocks.md#A clock is wrong". Read once; UI thread.
#pragma once

#include <vector>

#include <QString>

namespace lockstep {

struct HelpPage {
    QString name;  // "clocks"
    QString title; // its first line
    QString text;  // Markdown, with the title
};

class HelpLibrary {
  public:
    HelpLibrary();

    // The first is the index; the others in the order in which the index names them.
    const std::vector<HelpPage>& pages() const { return m_pages; }
    // nullptr for none. name: also with ".md" behind it.
    const HelpPage* find(const QString& name) const;
    // That hold every word, in any case; those with all of them in the title first. All for no words.
    std::vector<const HelpPage*> search(const QString& words) const;

  private:
    std::vector<HelpPage> m_pages;
};

} // namespace lockstep
