// SPDX-License-Identifier: Apache-2.0
// HelpLibrary holds the pages of resources/help that are built into the program: short Markdown documents,
// one per task. Pages link to each other in the form "clocks.md#Section". The files spell the default keys of
// commands as code, `Ctrl+S`, and the library replaces them by the keys of the user. UI thread.
#pragma once

#include <vector>

#include <QString>

#include "ui/window/key_map.h"

namespace lockstep {

struct HelpPage {
    QString name;  // "clocks"
    QString title; // its first line
    QString text;  // Markdown, with the title
};

class HelpLibrary {
  public:
    // Reads the pages and shows them with the keys of the map. Without commands in the map, keys stay as they
    // are in the files.
    explicit HelpLibrary(const KeyMap& keys = {});

    // Returns all pages: the index first, the others in the order of their links in the index.
    const std::vector<HelpPage>& pages() const { return m_pages; }
    // Returns the page, or nullptr if there is no such page. `name` may end in ".md".
    const HelpPage* find(const QString& name) const;
    // Returns the pages that contain every word, ignoring case; pages with all words in the title come first.
    // Returns all pages if `words` is empty.
    std::vector<const HelpPage*> search(const QString& words) const;

  private:
    std::vector<HelpPage> m_pages;
};

} // namespace lockstep
