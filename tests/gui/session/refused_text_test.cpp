// SPDX-License-Identifier: Apache-2.0
// Tests texts that a field of the Session page does not accept: the session keeps the previous value, the
// text stays and is marked, it is listed among the findings, and the session can be neither saved nor
// launched. The form does not move when that happens, or when a banner appears.
#include <QApplication>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTableView>
#include <QToolButton>

#include "core/session/session_fields.h"
#include "core/session/session_yaml.h"
#include "tests/support/session_page_fixture.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"
#include "ui/session/field_message.h"
#include "ui/session/hosts_model.h"
#include "ui/session/page_banner.h"
#include "ui/session/preview_sections.h"
#include "ui/session/role_matrix_model.h"
#include "ui/session/role_matrix_view.h"
#include "ui/session/session_sections.h"

using namespace lockstep;

namespace {

constexpr const char* kVerlOnTwoHosts =
    "name: grpo\nframework: verl\nlauncher: {kind: ssh}\nhosts: [{name: node0, gpus: 8}, {name: node1, gpus: 8}]\n"
    "working_folder: /workspace/verl\ncommand: [python3, \"-m\", verl.trainer.main_ppo]\ntool: nsys\nsteps: [5]\n"
    "save_path: /tmp/profile\nroles: {actor: {enable: true, ranks: [0]}}\n";

} // namespace

class RefusedTextTest : public test::SessionPageFixture {
    Q_OBJECT

  private slots:
    void fieldKeepsItsValue_data();
    void fieldKeepsItsValue();
    void correctedTextIsAccepted();
    void revertsByLinkAndUndo();
    void cellsKeepTheirValue();
    void anotherSessionDiscardsIt();
    void formDoesNotMove();

  private:
    void start(const std::string& yaml)
    {
        const Result<SessionConfig> config = sessionFromYaml(yaml);
        QVERIFY2(config, config ? "" : config.error().message.c_str());
        m_page->draft().startNew(*config);
    }
    QLineEdit& edit(const char* path) const
    {
        auto* const found = m_page->findChild<QLineEdit*>(path);
        if (found == nullptr) qFatal("no line edits %s", path);
        return *found;
    }
    void write(const char* path, const char* text) const
    {
        edit(path).setFocus();
        edit(path).selectAll();
        QTest::keyClicks(&edit(path), text);
    }
    template<class Button>
    Button* button(const QString& text) const
    {
        for (Button* const one : m_page->findChildren<Button*>()) {
            if (one->text().startsWith(text)) return one;
        }
        return nullptr;
    }
    bool isBlocked() const
    {
        return !button<QPushButton>("Launch")->isEnabled() && !button<QToolButton>("Save")->isEnabled();
    }
    QStringList findingTexts() const
    {
        QCoreApplication::sendPostedEvents(); // shows the rows
        QStringList texts;
        for (const QLabel* const label : m_page->findChild<FindingsSection*>()->findChildren<QLabel*>()) {
            if (label->isVisible()) texts << label->text();
        }
        return texts;
    }
    std::string value(const char* path) const
    {
        const auto written = findSessionField(path)->write(m_page->draft().config());
        return written ? plainText(*written) : "unset";
    }
    static std::string plainText(const ConfigValue& value)
    {
        std::string text = value.text;
        for (size_t i = 0; i < value.items.size(); ++i)
            text += (i < value.keys.size() ? value.keys[i] + "=" : "") + value.items[i].text + ";";
        return text;
    }
};

void RefusedTextTest::fieldKeepsItsValue_data()
{
    QTest::addColumn<QString>("path");
    QTest::addColumn<QString>("session"); // added to the common session
    QTest::addColumn<QString>("text");
    const auto row = [](const char* path, const char* session, const char* text) {
        QTest::newRow(path) << path << session << text;
    };
    row("steps", "", "2,x,0");
    row("command", "", "python3 'open");
    row("environment", "environment: {A: b}\n", "A=c 1B=d");
    row("container", "container: [docker, exec, x]\n", "docker \"exec");
    row("other_overrides", "other_overrides: [a=b]\n", "a=c 'd");
    row("total_steps", "total_steps: 40\n", "4x");
    row("torch_memory.max_entries", "torch_memory: {max_entries: 7}\n", "12 many");
    row("torch.schedule.active", "torch: {schedule: {active: 2}}\n", "3-");
    row("hooks.ranks", "hooks: {ranks: [3]}\n", "0, two");
    row("capture.ranks", "capture: {ranks: [1]}\n", "0, 3-1");
    row("launcher.hold_nodes_s", "launcher: {kind: slurm, login_node: n, hold_nodes_s: 60}\n", "-5");
    row("torchrun.processes_per_node", "torchrun: {processes_per_node: 4}\n", "8.5");
}

void RefusedTextTest::fieldKeepsItsValue()
{
    QFETCH(QString, path);
    QFETCH(QString, session);
    QFETCH(QString, text);
    const std::string name = path.toStdString();
    std::string yaml = session.startsWith("launcher") ? "command: [x]\n" : kVerlOnTwoHosts;
    if (name.starts_with("torchrun")) yaml = "framework: torchrun\ncommand: [x]\n";
    const auto setTool = [&](const char* tool) { yaml.replace(yaml.find("nsys"), 4, tool); };
    if (name.starts_with("torch_memory")) setTool("torch_memory");
    if (name.starts_with("torch.")) setTool("torch");
    if (name.starts_with("capture")) setTool("capture");
    start(yaml + session.toStdString());
    const SessionConfig before = m_page->draft().config();
    QLineEdit& field = edit(name.c_str());
    QTRY_VERIFY(field.isVisible());
    const QString shown = field.text();
    QVERIFY(!isBlocked());
    write(name.c_str(), qPrintable(text));
    QCOMPARE(m_page->draft().config(), before);
    QVERIFY(isBlocked());
    QVERIFY(field.property("invalid").toBool());
    field.clearFocus();
    QCOMPARE(field.text(), text); // the text stays for correction
    QVERIFY(QString(findingTexts().join('\n')).contains(field.accessibleName() + ": \"" + text));
    const test::TempDir folder;
    m_page->saveTo(folder.path() / "s.yaml");
    QTRY_VERIFY(!m_page->isBusy());
    QVERIFY(!std::filesystem::exists(folder.path() / "s.yaml"));
    QVERIFY(m_page->findChild<PageBanner*>()->isVisible());
    QCOMPARE(QApplication::focusWidget(), &field);
    QTest::keyClick(&field, Qt::Key_Escape);
    QCOMPARE(field.text(), shown);
    QCOMPARE(m_page->draft().config(), before);
    QVERIFY(!field.property("invalid").toBool());
    QVERIFY(!isBlocked());
    QVERIFY(!m_page->findChild<PageBanner*>()->isVisible());
}

void RefusedTextTest::correctedTextIsAccepted()
{
    start(kVerlOnTwoHosts);
    write("steps", "2,x");
    QCOMPARE(value("steps"), std::string("5;"));
    QTest::keyClick(&edit("steps"), Qt::Key_Backspace);
    QCOMPARE(value("steps"), std::string("2;"));
    QVERIFY(!isBlocked());
    QTest::keyClicks(&edit("steps"), "7, 9-");
    QCOMPARE(value("steps"), std::string("5;")); // still the value from before typing
    QTest::keyClicks(&edit("steps"), "10");
    QCOMPARE(value("steps"), std::string("2;7;9;10;"));
    QTest::keyClick(&edit("steps"), Qt::Key_Return);
    QTest::keyClicks(&edit("steps"), "x");
    QCOMPARE(value("steps"), std::string("2;7;9;10;")); // Return ended the typing
}

void RefusedTextTest::revertsByLinkAndUndo()
{
    start(kVerlOnTwoHosts);
    write("steps", "2,x,0");
    const auto revert = [this]() -> QToolButton* {
        for (QToolButton* const one : m_page->findChildren<QToolButton*>("revert steps")) {
            if (one->isVisible()) return one; // earlier rows are deleted later
        }
        return nullptr;
    };
    QTRY_VERIFY(revert() != nullptr);
    revert()->click();
    QCOMPARE(edit("steps").text(), QString("5"));
    QVERIFY(!isBlocked());
    write("steps", "y");
    for (const FieldMessage* const message : m_page->recorded()->findChildren<FieldMessage*>()) {
        if (message->isVisible()) {
            QVERIFY(message->text().contains("'y'"));
            message->findChild<QToolButton*>()->click();
            break;
        }
    }
    QCOMPARE(edit("steps").text(), QString("5"));
    edit("steps").clearFocus();
    write("steps", "7");
    QTest::keyClick(&edit("steps"), Qt::Key_Tab);
    write("save_path", "/elsewhere");
    write("steps", "z");
    m_page->draft().undoStack().undo();
    QCOMPARE(edit("steps").text(), QString("7"));
    QVERIFY(!isBlocked());
    m_page->draft().undoStack().redo();
    QCOMPARE(edit("steps").text(), QString("z"));
    QVERIFY(isBlocked());
}

void RefusedTextTest::cellsKeepTheirValue()
{
    start(kVerlOnTwoHosts);
    const SessionConfig before = m_page->draft().config();
    auto* const hosts = m_page->findChild<QTableView*>("hosts");
    const QModelIndex gpus = hosts->model()->index(1, HostsModel::gpus);
    QVERIFY(hosts->model()->setData(gpus, "four"));
    QCOMPARE(m_page->draft().config(), before);
    QCOMPARE(gpus.data(), QVariant("four"));
    QVERIFY(isBlocked());
    QVERIFY(findingTexts().join('\n').contains("Hosts, row 2, GPUs used: \"four\""));
    QVERIFY(hosts->model()->setData(gpus, "4"));
    QVERIFY(!isBlocked());
    QCOMPARE(m_page->draft().config().hosts[1].gpus, std::optional<int64_t>(4));
    // The refused text moves with its row.
    QVERIFY(hosts->model()->setData(gpus, "four"));
    static_cast<HostsModel*>(hosts->model())->removeHost(0);
    QCOMPARE(hosts->model()->index(0, HostsModel::gpus).data(), QVariant("four"));
    static_cast<HostsModel*>(hosts->model())->removeHost(0);
    QVERIFY(m_page->draft().state().refused.empty());
    start(kVerlOnTwoHosts);
    RoleMatrixView& roles = *m_page->recorded()->matrix();
    const QModelIndex ranks = roles.model()->index(0, RoleMatrixModel::ranks);
    QVERIFY(roles.model()->setData(ranks, "0, x", Qt::EditRole));
    QCOMPARE(m_page->draft().config(), before);
    QCOMPARE(ranks.data(), QVariant("0, x"));
    QVERIFY(isBlocked());
    QVERIFY(findingTexts().join('\n').contains("Ranks of actor: \"0, x\""));
}

void RefusedTextTest::anotherSessionDiscardsIt()
{
    start(kVerlOnTwoHosts);
    write("steps", "2,x");
    QVERIFY(isBlocked());
    const test::TempDir folder;
    m_page->openFile(folder.write("s.yaml", "command: [x]\ntool: nsys\nsteps: [3]\n"));
    QTRY_VERIFY(!m_page->isBusy());
    QCOMPARE(edit("steps").text(), QString("3"));
    QVERIFY(!edit("steps").property("invalid").toBool());
    QVERIFY(!isBlocked());
    m_page->draft().undoStack().undo();
    QCOMPARE(edit("steps").text(), QString("2,x"));
    start(kVerlOnTwoHosts);
    QVERIFY(m_page->draft().state().refused.empty());
}

// Typing, findings, hosts and banners leave every visible editor at its place.
void RefusedTextTest::formDoesNotMove()
{
    start(kVerlOnTwoHosts);
    QTRY_VERIFY(edit("steps").isVisible());
    const auto places = [this] {
        QCoreApplication::sendPostedEvents();
        QTest::qWait(10);
        QStringList all;
        for (const char* path : {"name", "working_folder", "command", "environment", "steps", "save_path"})
            all << QString("%1 %2").arg(path).arg(edit(path).mapToGlobal(QPoint()).y());
        all << QString("matrix %1").arg(m_page->recorded()->matrix()->mapToGlobal(QPoint()).y());
        return all;
    };
    edit("steps").setFocus();
    const QStringList before = places();
    write("steps", "2,x,0");
    QCOMPARE(places(), before);
    QTest::keyClick(&edit("steps"), Qt::Key_Escape);
    write("steps", "2, 2, 0"); // two findings
    QCOMPARE(places(), before);
    m_page->setMessage(QString("Couldn't launch the session. %1").arg(QString("A reason. ").repeated(40)),
                       HelpTopic::session, {"Launch anyway", [] {}});
    QCOMPARE(places(), before);
    QVERIFY(m_page->findChild<PageBanner*>()->isVisible());
    m_page->setMessage({});
    auto* const hosts = m_page->findChild<QTableView*>("hosts");
    for (int row = 2; row < 7; ++row) {
        QVERIFY(hosts->model()->setData(hosts->model()->index(row, HostsModel::name),
                                        QString("node%1").arg(row)));
        QCOMPARE(places(), before);
    }
    write("working_folder", "relative"); // a finding at a field
    QCOMPARE(places(), before);
    start(std::string(
        "framework: torchrun\nlauncher: {kind: ssh}\nhosts: [{name: a}]\ncommand: [x]\ntool: capture\n"));
    QTRY_VERIFY(edit("capture.role").isVisible());
    edit("steps").setFocus();
    const int role = edit("capture.role").mapTo(m_page->tool(), QPoint()).y();
    write("steps", "2, 3");
    QTest::qWait(10);
    QCOMPARE(edit("capture.role").mapTo(m_page->tool(), QPoint()).y(), role);
}

LOCKSTEP_TEST(RefusedTextTest, "refused_text_test")
#include "refused_text_test.moc"
