// SPDX-License-Identifier: Apache-2.0
// Tests what the form of the Session page contains: an editor for every key that has an effect, effective
// defaults, examples that fit the framework, and no more than the screen's width. Hosts are entered by
// keyboard.
#include <QAbstractButton>
#include <QApplication>
#include <QComboBox>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QTableView>
#include <QToolButton>

#include "core/session/field_defaults.h"
#include "core/session/launch_plan.h"
#include "core/session/preflight.h"
#include "core/session/recipes/launch_recipe.h"
#include "core/session/recipes/recipe.h"
#include "core/session/session_fields.h"
#include "core/session/session_yaml.h"
#include "core/session/typed_value.h"
#include "core/session/yaml_tree.h"
#include "tests/support/session_page_fixture.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"
#include "ui/session/hosts_model.h"
#include "ui/session/session_sections.h"
#include "ui/style/style_sheet.h"

using namespace lockstep;

namespace {

// Returns a value that differs from the base sessions of everyKeyHasAnEditor().
ConfigValue sampleOf(const std::string& path)
{
    static const std::vector<std::pair<std::string_view, const char*>> kSamples{
        {"profile_continuous_steps", "true"},
        {"all_ranks", "true"},
        {"name", "other"},
        {"framework", "command"},
        {"schema", "0.9.0"},
        {"launcher.kind", "ray_job"},
        {"launcher.slurm_options", "[--partition=x]"},
        {"launcher.hold_nodes_s", "10"},
        {"launcher.start_ray", "true"},
        {"hosts", "[{name: other, gpus: 2}, {name: last, gpus: 2}]"},
        {"hooks.command", "upload.sh"},
        {"command", "[other]"},
        {"servers", "[\"http://node0:8000\"]"},
        {"args", "[other]"},
        {"environment", "{A: b}"},
        {"secret", "[TOKEN]"},
        {"container", "[docker, exec, x]"},
        {"total_steps", "100"},
        {"other_overrides", "[a=b]"},
        {"tool", "nsys"},
        {"clock_exchange", "\"off\""},
        {".tool", "torch_memory"},
        {"ranks", "[1]"},
        {"steps", "[2, 3, 7]"},
        {"contents", "[cpu]"},
        {"stages", "[actor_update]"},
        {".level", "level1"},
        {"controller_options", "{sample: none}"},
        {"worker_options", "{sample: cpu}"},
        {"capture.range", "\"nvtx:x\""},
        {"capture.steps_are", "ordinals"},
        {"capture.when_full", "block"},
        {"capture.graph_trace", "graph"},
        {"capture.cuda", "false"},
        {"processes_per_node", "3"},
        {"torchrun.options", "[--x]"},
        {"nsys_placement", "rank"},
        {"imported_yaml", "{a: b}"},
        {"settings", "{a: b}"},
        {"enable", "true"},
        {"discrete", "true"},
        {"analysis", "false"},
        {"strict", "true"},
        {"relocate_results", "true"},
        {"max_entries", "7"},
        {"stack_depth", "7"},
        {"step_start", "7"},
        {"step_end", "9"},
        {"_token_start", "7"},
        {"_token_end", "9"},
        {"skip_first", "7"},
        {"wait", "7"},
        {"warmup", "7"},
        {"active", "7"},
        {"repeat", "7"},
    };
    for (const auto& [end, yaml] : kSamples) {
        if (path == end || (end != "tool" && end != "name" && path.ends_with(end))) return *readYaml(yaml);
    }
    return ConfigValue::fromText("/other/path");
}

// Returns everything that a session leads to: plan, expected reports, or the error that prevents a plan.
std::string effectOf(const SessionConfig& config)
{
    const Result<LaunchPlan> plan = planLaunch(config, {});
    std::string text = plan ? jsonFromPlan(*plan) : plan.error().message;
    for (const ExpectedFile& file : forecastFiles(config, {}))
        text += file.host + file.folder + file.pattern + std::to_string(file.count()) + ";";
    return text;
}

// Keys that need no editor although they have an effect.
bool isException(const std::string& path)
{
    // Every verl release ignores the steps of msprobe and uses the session's.
    if (path.ends_with("precision_debugger.steps")) return true;
    // The remainder of an imported file. It is kept, and is not part of the plan.
    return path == "imported_yaml";
}

// The plan contains the settings of tools that are not selected, but no such tool runs. They are shown once
// the tool is selected.
bool isOfAnotherTool(const SessionConfig& config, const std::string& path)
{
    for (const Tool tool : {Tool::torch, Tool::torchMemory, Tool::npu, Tool::precisionDebugger}) {
        const std::string group = std::string(enumName(tool)) + ".";
        const bool isInGroup = path.starts_with(group) || path.find("." + group) != std::string::npos;
        if (isInGroup && config.tool != tool) return true;
    }
    return path == "discrete" && config.tool == Tool::torch; // it is the setting of nsys; torch has its own
}

// Keys that do not change the plan, but the checks, the collection or what is saved.
bool isAlwaysNeeded(const std::string& path)
{
    return path == "name" || path == "framework" || path == "tool" || path == "launcher.kind" ||
           path == "hosts" || path == "secret";
}

// The widget that edits a field; several fields share a table.
QString editorOf(const std::string& path)
{
    const QString name = QString::fromStdString(path);
    if (path == "nsys.controller_options") return "nsys.worker_options";
    for (const char* column : {"enable", "all_ranks", "ranks", "discrete"}) {
        if (name.startsWith("roles.") && name.section('.', 2) == column) return "roles";
    }
    return name;
}

} // namespace

class SessionFormTest : public test::SessionPageFixture {
    Q_OBJECT

  private slots:
    void everyKeyHasAnEditor_data();
    void everyKeyHasAnEditor();
    void tabFillsHostsInARow();
    void defaultsSayWhatApplies();
    void examplesFitTheFramework();
    void sampleSettingsNeedNoTool();
    void longValuesDoNotWidenThePage();
    void sessionOnThisMachine();
    void browsesForPaths();
    void refusesSettingsOfTheWrongType();

  private:
    void start(const std::string& yaml)
    {
        const Result<SessionConfig> config = sessionFromYaml(yaml);
        QVERIFY2(config, config ? "" : config.error().message.c_str());
        m_page->draft().startNew(*config);
        QCoreApplication::sendPostedEvents();
    }
    QString placeholder(const char* path) const
    {
        return m_page->findChild<QLineEdit*>(path)->placeholderText();
    }
    QString defaultLabel(const char* path) const
    {
        return m_page->findChild<QAbstractButton*>(QString(path) + "=")->text();
    }
};

void SessionFormTest::everyKeyHasAnEditor_data()
{
    QTest::addColumn<QString>("yaml");
    for (const Recipe& recipe : recipes()) {
        const std::string framework(enumName(recipe.framework));
        for (const Tool tool : recipe.tools) {
            for (const char* launcher : {"ssh", "slurm", "ray_job", "local"}) {
                if (recipe.data != nullptr && launcher != std::string_view("ssh"))
                    continue; // all use the same code
                const std::string yaml = "framework: " + framework +
                                         "\ntool: " + std::string(enumName(tool)) +
                                         "\nlauncher: {kind: " + launcher + ", login_node: n}\n" +
                                         "hosts: [{name: node0, gpus: 8}, {name: node1, gpus: 8}]\ncommand: "
                                         "[main_ppo]\n"
                                         "steps: [2, 3]\n" +
                                         (recipe.data != nullptr && !recipe.data->roles.empty()
                                              ? "schema: head\nroles: {actor: {enable: true}}\n"
                                              : "");
                QTest::addRow("%s %s %s", framework.c_str(), std::string(enumName(tool)).c_str(), launcher)
                    << QString::fromStdString(yaml);
            }
        }
    }
}

// A key has an effect if it changes the plan and no finding reports that it is ignored.
void SessionFormTest::everyKeyHasAnEditor()
{
    QFETCH(QString, yaml);
    start(yaml.toStdString());
    const SessionConfig base = m_page->draft().config();
    const std::string effect = effectOf(base);
    QStringList missing;
    for (const SessionField& field : sessionFields()) {
        if (isException(field.path) || isOfAnotherTool(base, field.path)) continue;
        SessionConfig changed = base;
        if (!field.read(changed, sampleOf(field.path))) qFatal("no sample for %s", field.path.c_str());
        const Findings findings = preflight(changed, {});
        const bool isIgnored = std::ranges::any_of(findings, [&](const Finding& finding) {
            const bool isHere = field.path == finding.field || field.path.starts_with(finding.field + ".");
            return isHere && (finding.rule.ends_with(".unused") || finding.rule == "settings.not_in_era" ||
                              finding.rule.ends_with(".unsupported") || finding.rule.ends_with(".roles") ||
                              finding.rule == "torch.own_settings");
        });
        const bool isNeeded = (effectOf(changed) != effect && !isIgnored) || isAlwaysNeeded(field.path);
        if (!isNeeded) continue;
        if (field.path.starts_with("roles.")) {
            const std::string role = field.path.substr(6, field.path.find('.', 6) - 6);
            m_page->role()->showRole(*enumFromWord<Role>(role));
        }
        const QWidget* const editor = m_page->findChild<QWidget*>(editorOf(field.path));
        if (editor == nullptr || !editor->isVisible()) missing << QString::fromStdString(field.path);
    }
    QVERIFY2(missing.isEmpty(), qPrintable(missing.join(", ")));
    // The keys of a host are columns.
    auto* const hosts = m_page->findChild<QTableView*>("hosts");
    QVERIFY(!hosts->isColumnHidden(HostsModel::name) && !hosts->isColumnHidden(HostsModel::gpus));
    QCOMPARE(hosts->isColumnHidden(HostsModel::address), base.launcher.kind == LauncherKind::local);
}

// Types two hosts in a row with their addresses, then a third between them.
void SessionFormTest::tabFillsHostsInARow()
{
    start("framework: torchrun\nlauncher: {kind: ssh}\ncommand: [x]\n");
    auto* const table = m_page->findChild<QTableView*>("hosts");
    table->setFocus();
    const auto type = [](const QString& text) {
        for (const QChar letter : text) // the first letter opens the editor
            QTest::keyClick(QApplication::focusWidget(), letter.toLatin1());
    };
    const auto press = [](Qt::Key key) {
        QTest::keyClick(QApplication::focusWidget(), key);
        QCoreApplication::sendPostedEvents();
    };
    for (const char* text : {"alpha", "user@10.0.0.1", "8", "", "beta", "user@10.0.0.2", "4"}) {
        type(text);
        press(Qt::Key_Tab);
    }
    press(Qt::Key_Escape); // the editor that Tab opened
    const std::vector<Host>& hosts = m_page->draft().config().hosts;
    QCOMPARE(hosts.size(), size_t(2));
    QCOMPARE(hosts[0].name, std::string("alpha"));
    QCOMPARE(hosts[0].address, std::string("user@10.0.0.1"));
    QCOMPARE(hosts[0].gpus, std::optional<int64_t>(8));
    QCOMPARE(hosts[1].name, std::string("beta"));
    QCOMPARE(hosts[1].address, std::string("user@10.0.0.2"));
    QCOMPARE(hosts[1].gpus, std::optional<int64_t>(4));
    table->setFocus();
    table->setCurrentIndex(table->model()->index(1, HostsModel::gpus));
    press(Qt::Key_Insert);
    for (const char* text : {"middle", "user@10.0.0.9", "2"}) {
        type(text);
        press(Qt::Key_Tab);
    }
    press(Qt::Key_Escape);
    QCOMPARE(hosts.size(), size_t(3));
    QCOMPARE(hosts[1].name, std::string("middle"));
    QCOMPARE(hosts[1].address, std::string("user@10.0.0.9"));
    QCOMPARE(hosts[1].gpus, std::optional<int64_t>(2));
    QCOMPARE(hosts[0].address, std::string("user@10.0.0.1"));
    QCOMPARE(hosts[2].address, std::string("user@10.0.0.2"));
}

void SessionFormTest::defaultsSayWhatApplies()
{
    start(
        "framework: verl\nlauncher: {kind: ssh}\nhosts: [{name: a}, {name: b}]\ncommand: [x]\ntool: nsys\n");
    QCOMPARE(defaultLabel("launcher.start_ray"),
             QString("default: Ray must already be running on both hosts"));
    QCOMPARE(defaultLabel("clock_exchange"), QString("default: compared over UDP"));
    QCOMPARE(defaultLabel("discrete"), QString("default: off, whole steps"));
    QCOMPARE(defaultLabel("roles.actor.tool"), QString("default: nsys"));
    QVERIFY(placeholder("save_path").startsWith("default: outputs/profile"));
    auto* const schema = m_page->findChild<QComboBox*>("schema");
    QCOMPARE(schema->itemText(0), QString("default: head, until the hosts are checked"));
    start("framework: verl\ncommand: [x]\ntool: torch_memory\ntorch_memory: {stack_depth: 8}\n");
    QVERIFY(placeholder("torch_memory.max_entries").startsWith("default: 100000"));
    QVERIFY(placeholder("roles.actor.torch_memory.stack_depth").startsWith("default: 8;")); // inherited
    QVERIFY(defaultLabel("launcher.start_ray").contains("the program starts Ray"));
    start(
        "framework: torchrun\nname: run7\nlauncher: {kind: ssh}\nhosts: [{name: a, gpus: 8}]\ncommand: [x]\n"
        "working_folder: /w\ntool: capture\n");
    QVERIFY(placeholder("save_path").startsWith("default: /w/lockstep/run7/reports"));
    QVERIFY(placeholder("torchrun.processes_per_node").startsWith("default: 8"));
    QVERIFY(placeholder("capture.range").startsWith("default: all"));
    QCOMPARE(defaultLabel("capture.when_full"), QString("default: drop and count"));
    const auto editors = m_page->findChildren<QAbstractButton*>();
    for (const QAbstractButton* const one : editors)
        QVERIFY2(!one->isVisible() || one->text() != "default", qPrintable(one->objectName()));
    // What nsys gets if the session does not set it: Lockstep's preset, not the default of nsys.
    QVERIFY(m_page->draft().setField("tool", ConfigValue::fromText("nsys")));
    QCOMPARE(findOption(frameworkNsysOptions(m_page->draft().config(), false), "sample")->value,
             std::optional<std::string>("none"));
}

void SessionFormTest::examplesFitTheFramework()
{
    const std::vector<std::pair<const char*, const char*>> expected{
        {"verl", "verl.trainer.main_ppo"},
        {"verl_omni", "flowgrpo_trainer"},
        {"nemo_rl", "run_grpo.py"},
        {"torchrun", "train.py (started by torchrun"},
        {"command", "python3 train.py"}};
    for (const auto& [framework, example] : expected) {
        start(std::string("framework: ") + framework + "\n");
        QVERIFY2(placeholder("command").contains(example), qPrintable(placeholder("command")));
        QCOMPARE(placeholder("other_overrides").contains("Hydra"), QString(framework).startsWith("verl"));
    }
    start("framework: nemo_rl\ntool: nsys\n");
    QVERIFY(placeholder("steps").contains("one range"));
}

// The framework can record samples without a profiler.
void SessionFormTest::sampleSettingsNeedNoTool()
{
    for (const char* framework :
         {"miles", "slime", "roll", "areal", "rlinf", "torchtitan", "verl", "verl_omni"}) {
        start(std::string("framework: ") + framework + "\nhosts: [{name: a, gpus: 8}]\n");
        const auto* const table = m_page->findChild<QTableView*>("settings");
        QVERIFY2(table->isVisibleTo(m_page.get()) && table->model()->rowCount() > 0, framework);
    }
    start("framework: torchrun\n");
    QVERIFY(!m_page->findChild<QTableView*>("settings")->isVisibleTo(m_page.get()));
}

void SessionFormTest::longValuesDoNotWidenThePage()
{
    QApplication::setFont(interfaceFont(1));
    qApp->setStyleSheet(styleSheetOf(lightTheme(), 1));
    const std::string word(300, 'w'), path = "/" + word + "/" + word;
    const test::TempDir folder;
    const std::string yaml =
        "name: " + word + "\nframework: verl\nlauncher: {kind: ssh, start_ray: true, agent_folder: " + path +
        "}\nhosts: [{name: " + word + ", address: \"user@" + word + "\", gpus: 8}, {name: node1}]\n" +
        "working_folder: " + path + "\ncommand: [" + word + ", " + path +
        "]\ntool: torch\nsteps: [2, 400]\n" + "total_steps: 3\nsave_path: " + path +
        "\nroles: {actor: {enable: true, save_path: " + path +
        "}, critic: {tool: npu}}\nhooks: {command: " + path + "}\n" + word + ": 1\n";
    m_page->openFile(folder.write(std::string(200, 'f') + ".yaml", yaml));
    QTRY_VERIFY(!m_page->isBusy());
    m_page->setMessage(QString("reason ").repeated(300));
    m_page->setWaiting(QString("waiting ").repeated(80));
    QCoreApplication::sendPostedEvents();
    QTest::qWait(20);
    // The window has a frame, a menu, a strip of pages and a status bar.
    const QSize room = QSize(1280, 720) - QSize(16, 48 + 25 + 39 + 26);
    const QSize minimum = m_page->minimumSizeHint();
    QVERIFY2(minimum.width() <= room.width() && minimum.height() <= room.height(),
             qPrintable(QString("%1x%2").arg(minimum.width()).arg(minimum.height())));
    m_page->resize(room);
    QCOMPARE(m_page->size(), room);
    qApp->setStyleSheet({});
}

void SessionFormTest::sessionOnThisMachine()
{
    start("framework: torchrun\nlauncher: {kind: local}\ncommand: [train.py]\ntool: nsys\n");
    auto* const hosts = m_page->findChild<QTableView*>("hosts");
    QVERIFY(hosts->isColumnHidden(HostsModel::address));
    QVERIFY(!m_page->findChild<QWidget*>("clock_exchange")->isVisible());
    for (const char* path : {"working_folder", "command", "save_path"})
        QVERIFY2(m_page->findChild<QToolButton*>(QString("browse ") + path)->isVisible(), path);
    const auto facts = hostFactsFromJson(
        R"({"lockstep_probe": 1, "host": "localhost", "clock": {"synchronized": false, "offset_ns": 90000000000}})");
    QVERIFY(facts);
    m_page->draft().applyFacts(*facts);
    for (const Finding& finding : m_page->draft().findings())
        QVERIFY2(finding.reason.find("clock") == std::string::npos, finding.reason.c_str());
    QVERIFY(m_page->draft().setField("launcher.kind", ConfigValue::fromText("ssh")));
    QVERIFY(!hosts->isColumnHidden(HostsModel::address));
    QVERIFY(!m_page->findChild<QToolButton*>("browse working_folder")->isVisible());
}

void SessionFormTest::browsesForPaths()
{
    start("framework: command\nlauncher: {kind: local}\ncommand: [python3, old.py, --epochs, '1']\n");
    const test::TempDir folder;
    const std::string script = folder.write("train.py", "");
    const auto select = [this](const char* path, const std::string& file) {
        m_page->findChild<QToolButton*>(QString("browse ") + path)->click();
        auto* const dialog = m_page->findChild<QFileDialog*>();
        QVERIFY(dialog != nullptr);
        emit dialog->fileSelected(QString::fromStdString(file));
        delete dialog;
    };
    select("working_folder", folder.path().string());
    QCOMPARE(m_page->draft().config().workingFolder, folder.path().string());
    select("command", script);
    QCOMPARE(m_page->draft().config().command,
             (std::vector<std::string>{"python3", script, "--epochs", "1"}));
    m_page->draft().undoStack().undo();
    QCOMPARE(m_page->draft().config().command[1], std::string("old.py"));
}

void SessionFormTest::refusesSettingsOfTheWrongType()
{
    start(
        "framework: slime\nlauncher: {kind: ssh}\nhosts: [{name: a, gpus: 8}]\ncommand: [python3, train.py]\n"
        "tool: torch\nsteps: [3]\nsave_path: /d\n");
    auto* const model = m_page->findChild<QTableView*>("settings")->model();
    const auto cell = [&](const char* setting) {
        for (int row = 0; row < model->rowCount(); ++row) {
            if (model->index(row, 0).data().toString() == setting) return model->index(row, 1);
        }
        return QModelIndex();
    };
    QVERIFY(cell("start").isValid());
    QVERIFY(model->setData(cell("start"), "abc"));
    QCOMPARE(cell("start").data().toString(), QString("abc"));
    QVERIFY(m_page->draft().refused("settings.start") != nullptr);
    QVERIFY(m_page->draft().config().settings.find("start") == nullptr);
    // The text can also be corrected after another framework is chosen.
    QVERIFY(m_page->draft().setField("framework", ConfigValue::fromText("command")));
    QVERIFY(cell("start").isValid());
    QVERIFY(model->setData(cell("start"), ""));
    QVERIFY(m_page->draft().refused("settings.start") == nullptr);
    QVERIFY(!cell("start").isValid());
    QVERIFY(m_page->draft().setField("framework", ConfigValue::fromText("slime")));
    QVERIFY(model->setData(cell("start"), "4"));
    QCOMPARE(m_page->draft().config().settings.find("start")->text, std::string("4"));
}

LOCKSTEP_TEST(SessionFormTest, "session_form_test")
#include "session_form_test.moc"
