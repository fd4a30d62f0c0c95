// SPDX-License-Identifier: Apache-2.0
// SettingsPageController is the Page with all settings. It stores each change and applies it at once where
// possible. The page has no tab; leaving it returns to the previous page. UI thread.
#pragma once

#include <QPointer>

#include "app/window/page.h"
#include "app/window/window_parts.h"
#include "ui/async/latest_job.h"

namespace lockstep {

class KeyEditor;
class SettingsPage;

class SettingsPageController : public Page {
    Q_OBJECT

  public:
    explicit SettingsPageController(const WindowParts& parts);

    Tab tab() const override { return {}; }
    QWidget* widget() const override;
    QString helpPage() const override { return "settings"; }
    void onActivated() override;
    bool isBusy() const override { return m_find.isRunning(); }

    // Brings the page to the front with the focus on this setting; an empty key focuses the search field.
    void open(const QString& key);

  private:
    void change(const QString& key, const QVariant& value);
    void reset(const QString& key);
    void resetAll();
    // Applies the stored value of `key` to the window.
    void refresh();
    void findNsys();

    WindowParts m_parts;
    SettingsPage* m_page;
    KeyEditor* m_keys;
    QPointer<Page> m_before;
    LatestJob<QString> m_find; // finds the newest installed nsys
};

} // namespace lockstep
