// SPDX-License-Identifier: Apache-2.0
// BrowseButton: a button next to a field that contains a path. It selects the path in a file dialog. Shown
// only while the session runs on this machine, because other hosts have other files. UI thread.
#pragma once

#include <cstdint>
#include <string>

#include <QToolButton>

namespace lockstep {

class SessionDraft;

enum class BrowseFor : uint8_t {
    folder,
    file,
    program // the program or script in a list of arguments; the other arguments are preserved
};

class BrowseButton : public QToolButton {
    Q_OBJECT

  public:
    // `caption` is the caption of the field `path`.
    BrowseButton(SessionDraft& draft, std::string path, const QString& caption, BrowseFor what,
                 QWidget* parent = nullptr);

  private:
    void browse();
    void take(const QString& file);
    void refresh();

    SessionDraft& m_draft;
    const std::string m_path;
    const BrowseFor m_what;
};

} // namespace lockstep
