// SPDX-License-Identifier: Apache-2.0
#include "app/window/settings_page_controller.h"

#include <cstdlib>

#include <QLineEdit>
#include <QPushButton>

#include "app/window/command_actions.h"
#include "app/window/key_controller.h"
#include "app/window/key_table.h"
#include "app/window/look.h"
#include "app/window/open_controller.h"
#include "app/window/page_stack.h"
#include "app/window/panel_docks.h"
#include "app/window/run_page_controller.h"
#include "app/window/setting_table.h"
#include "app/window/settings.h"
#include "app/window/timeline_page_controller.h"
#include "core/base/text.h"
#include "core/readers/nsys_report/nsys_install.h"
#include "core/readers/nsys_report/report_conversion.h"
#include "ui/settings/key_editor.h"
#include "ui/settings/settings_page.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

namespace {

KeyEditor* makeKeyEditor(const KeyController& keys)
{
    QStringList presets;
    for (int i = 0; i < static_cast<int>(KeyPreset::count); ++i)
        presets << presetName(static_cast<KeyPreset>(i));
    return new KeyEditor(keys.keys(), presets);
}

// Runs each nsys once to get its version. Call off the UI thread.
QString foundNsys(const QString& folders, const std::stop_token& stop)
{
    ConversionFolders places = defaultConversionFolders();
    for (const QString& folder : folders.split(':', Qt::SkipEmptyParts))
        places.programFolders.emplace_back(folder.toStdString());
    const std::optional<NsysInstall> found = newestNsys(places.programFolders, stop);
    if (!found)
        return SettingsPageController::tr(
            "No nsys found in %n folder(s). Without nsys, open the SQLite export of a .nsys-rep instead.",
            nullptr, static_cast<int>(places.programFolders.size()));
    return SettingsPageController::tr("Found: %1, %2")
        .arg(QString::fromStdString(versionText(found->version)),
             QString::fromStdString(found->program.string()));
}

} // namespace

SettingsPageController::SettingsPageController(const WindowParts& parts)
    : m_parts(parts), m_page(new SettingsPage(settingTable(), &parts.window)),
      m_keys(makeKeyEditor(parts.keys)), m_find([this](const Result<QString>& found) {
          if (found) m_page->row("nsys/folders")->setRemark(*found);
      })
{
    m_page->row("keys/own")->addBelow(m_keys);
    m_page->setFile(parts.settings.file());
    connect(parts.actions.at(CommandId::settings), &QAction::triggered, this, [this] { open({}); });
    connect(parts.actions.at(CommandId::editKeys), &QAction::triggered, this, [this] { open("keys/own"); });
    connect(m_page, &SettingsPage::changeRequested, this, &SettingsPageController::change);
    connect(m_page, &SettingsPage::resetRequested, this, &SettingsPageController::reset);
    connect(m_page, &SettingsPage::resetAllRequested, this, &SettingsPageController::resetAll);
    connect(m_page, &SettingsPage::dismissed, this, [this] {
        if (m_before != nullptr) return m_parts.pages.bringToFront(*m_before);
        emit dismissed();
    });
    connect(m_keys, &KeyEditor::keysChanged, &parts.keys, &KeyController::setKeys);
    connect(&parts.keys, &KeyController::keysChanged, this, [this](const KeyMap& keys) {
        if (!(m_keys->keys() == keys)) m_keys->setKeys(keys);
        refresh();
    });
    connect(&parts.look, &Look::themeChanged, this, &SettingsPageController::refresh);
    parts.settings.bind("nsys/folders", this, [this] { findNsys(); });
}

QWidget* SettingsPageController::widget() const
{
    return m_page;
}

void SettingsPageController::open(const QString& key)
{
    if (&m_parts.pages.current() != this) m_before = &m_parts.pages.current();
    emit frontRequested();
    if (key.isEmpty()) return m_page->searchField()->setFocus(Qt::ShortcutFocusReason);
    m_page->goTo(key);
}

void SettingsPageController::onActivated()
{
    refresh();
    findNsys();
}

void SettingsPageController::findNsys()
{
    m_find.start([folders = m_parts.settings.value("nsys/folders").toString()](const Progress& progress)
                     -> Result<QString> { return foundNsys(folders, progress.stopToken()); });
}

void SettingsPageController::change(const QString& key, const QVariant& value)
{
    m_parts.settings.set(key, value);
    refresh();
}

void SettingsPageController::reset(const QString& key)
{
    m_parts.settings.reset(key);
    refresh();
}

void SettingsPageController::resetAll()
{
    m_parts.settings.resetAll();
    for (const Setting& setting : settingTable())
        m_page->row(setting.name())->setError({});
    refresh();
}

void SettingsPageController::refresh()
{
    const Settings& settings = m_parts.settings;
    for (const Setting& setting : settingTable()) {
        if (setting.kind == Setting::Kind::fact) continue;
        SettingRow& row = *m_page->row(setting.name());
        row.showValue(settings.value(setting.name()), settings.isChanged(setting.name()));
        if (setting.needsRestart && setting.name() != "nsys/folders")
            row.setRemark(row.isMarked() ? tr("Takes effect at the next start.") : QString());
    }
    const MemoryBudget& memory = m_parts.memory;
    m_page->row("open/memory_percent")
        ->setRemark(
            memory.limit_bytes() == 0
                ? tr("No limit is in effect.")
                : tr("Limit %1, in use %2.")
                      .arg(QString::fromStdString(byteText(static_cast<int64_t>(memory.limit_bytes()))),
                           QString::fromStdString(byteText(static_cast<int64_t>(memory.used_bytes())))));
    m_page->setError(settings.writeError());
    m_page->resetAllButton()->setEnabled(std::ranges::any_of(settingTable(), [&](const Setting& setting) {
        return setting.kind != Setting::Kind::fact && setting.kind != Setting::Kind::remembered &&
               settings.isChanged(setting.name());
    }));
}

} // namespace lockstep
