// SPDX-License-Identifier: Apache-2.0
// WindowFixture is the base of tests of a whole window: a folder, the settings stored in it, and the window.
//   class ExportTest : public test::WindowFixture {
//       Q_OBJECT
//     private slots:
//       void init() { makeWindow(); openTraces(2); }
//       void someTest() { run("Undo"); settle(); QCOMPARE(part<NoticeBar>().text(), ...); }
//   };
// Qt Test also finds init() and cleanup() in base classes, so every test function starts without a window.
#pragma once

#include <memory>
#include <vector>

#include <QTest>
#include <QUndoStack>

#include "app/window/workspace_controller.h"
#include "tests/support/in_window.h"
#include "tests/support/patience.h"
#include "tests/support/report_tree.h"
#include "tests/support/slowness.h"

namespace lockstep::test {

class WindowFixture : public QObject {
    Q_OBJECT

  protected slots:
    // A test with a cleanup() of its own calls this one as well.
    void cleanup()
    {
        m_window.reset();
        m_settings.reset();
        m_folder.reset();
    }

  protected:
    // Creates the folder and the settings, unless they exist.
    void makeSettings()
    {
        if (m_folder == nullptr) m_folder = std::make_unique<TempDir>();
        if (m_settings == nullptr) m_settings = std::make_unique<Settings>(settingsFile(*m_folder));
    }
    // Shows a window in place of the current one, with the same settings.
    void makeWindow(const WindowSetup& setup = {})
    {
        m_window.reset();
        makeSettings();
        m_window = shownWindow(*m_settings, setup);
    }

    // Opens files of one report each and waits until all are shown.
    void open(const std::vector<std::filesystem::path>& files)
    {
        const size_t wanted = scene().shown.size() + files.size();
        m_window->open(files);
        QTRY_VERIFY(scene().shown.size() == wanted && m_window->isSettled());
    }
    // Opens small traces of that many ranks: t/r0.json, t/r1.json, ...
    void openTraces(int ranks)
    {
        std::vector<std::filesystem::path> files;
        for (int rank = 0; rank < ranks; ++rank)
            files.push_back(m_folder->write("t/r" + std::to_string(rank) + ".json", smallTrace(rank)));
        open(files);
    }
    // Waits until no job is running.
    void settle() { QTRY_VERIFY(m_window->isSettled()); }

    template<class T>
    T& part(const QString& name = {}) const
    {
        return test::part<T>(*m_window, name);
    }
    template<class T>
    T& page() const
    {
        return test::page<T>(*m_window);
    }
    template<class T>
    bool isInFront() const
    {
        return test::isInFront<T>(*m_window);
    }
    TimelineView& view() const { return part<TimelineView>(); }
    const Scene& scene() const { return *part<WorkspaceController>().scene(); }

    // Runs the command with the name used in menus.
    void run(const QString& command) { test::run(*m_window, command); }
    void undo() { part<QUndoStack>("workspace").undo(); }
    // Presses a key in the timeline.
    void press(Qt::Key key, Qt::KeyboardModifiers modifiers = {})
    {
        view().setFocus();
        QTest::keyClick(&view(), key, modifiers);
    }
    // Saves a picture of the window for inspection, if $LOCKSTEP_PICTURES names a folder.
    void picture(const QString& name)
    {
        const QString folder = qEnvironmentVariable("LOCKSTEP_PICTURES");
        if (!folder.isEmpty()) QVERIFY(m_window->grab().save(folder + '/' + name + ".png"));
    }

    // The window is destroyed first.
    std::unique_ptr<TempDir> m_folder;
    std::unique_ptr<Settings> m_settings;
    std::unique_ptr<MainWindow> m_window;
};

} // namespace lockstep::test
