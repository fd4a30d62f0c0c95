// SPDX-License-Identifier: Apache-2.0
// SettingsPageController: the Page with every setting: keeps what is changed there, and has it count at once
// wherever that is possible. It has no tab; whoever leaves it is back where they came from. UI thread.
#pragma once

#include <QPointer>

#include "app/page.h"
#include "app/window_parts.h"
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
    void takeFront() override;
    bool isBusy() const override { return m_find.isRunning(); }

    // In front, with that setting in hand; empty: with the search.
    void open(const QString& key);
    KeyEditor& keyEditor() const { return *m_keys; }

  private:
    void change(const QString& key, const QVariant& value);
    void reset(const QString& key);
    void resetAll();
    // What the settings say of it counts now.
    void apply(const QString& key);
    void refresh();
    void findNsys();

    WindowParts m_parts;
    SettingsPage* m_page;
    KeyEditor* m_keys;
    QPointer<Page> m_before;
    LatestJob<QString> m_find; // an nsys
};

} // namespace lockstep
