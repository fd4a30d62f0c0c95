// SPDX-License-Identifier: Apache-2.0
// Tests the Session page by keyboard only, with its undo, matrix, fixes, imports and files.

#include <fstream>

#include <QApplication>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QTabBar>
#include <QTableView>
#include <QTimer>
#include <QToolButton>
#include <sys/stat.h>

#include "core/session/import_text.h"
#include "core/session/recipes/data_recipe.h"
#include "core/session/session_yaml.h"
#include "core/session/typed_value.h"
#include "tests/support/model_testers.h"
#include "tests/support/part.h"
#include "tests/support/session_page_fixture.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"
#include "ui/session/field_message.h"
#include "ui/session/field_text.h"
#include "ui/session/import_dialog.h"
#include "ui/session/preview_sections.h"
#include "ui/session/role_matrix_model.h"
#include "ui/session/role_matrix_view.h"
#include "ui/session/session_sections.h"

using namespace lockstep;

namespace {

QWidget* focused()
{
    return QApplication::focusWidget();
}

void type(const QString& text)
{
    for (const QChar letter : text)
        QTest::keyClick(focused(), letter.toLatin1());
}

void press(Qt::Key key, int times = 1)
{
    for (int i = 0; i < times; ++i) {
        QTest::keyClick(focused(), key);
        QCoreApplication::sendPostedEvents(); // a cell's editor takes Return by a queued call
    }
}

// Presses Tab until a widget whose name begins with the prefix has the focus.
bool tabTo(const QString& name)
{
    constexpr int kMaxWidgets = 120;
    for (int i = 0; i < kMaxWidgets; ++i) {
        if (focused() != nullptr && focused()->objectName().startsWith(name)) return true;
        press(Qt::Key_Tab);
    }
    return false;
}

bool choose(const QString& path, const QString& word)
{
    if (!tabTo(path + "=")) return false;
    for (const Qt::Key direction : {Qt::Key_Right, Qt::Key_Left}) {
        for (int i = 0; i < 6 && focused()->objectName() != path + "=" + word; ++i)
            press(direction);
    }
    press(Qt::Key_Space);
    return focused()->objectName() == path + "=" + word;
}

// Selects a framework by typing the beginning of its name.
bool chooseFramework(const QString& label)
{
    if (!tabTo("framework")) return false;
    type(label);
    QCoreApplication::sendPostedEvents();
    const auto* const combo = qobject_cast<QComboBox*>(focused());
    return combo != nullptr && combo->currentText().startsWith(label);
}

bool fill(const QString& path, const QString& text)
{
    if (!tabTo(path)) return false;
    type(text);
    return true;
}

} // namespace

class SessionPageTest : public test::SessionPageFixture {
    Q_OBJECT

  private slots:
    void init()
    {
        SessionPageFixture::init();
        QVERIFY(test::testModels(*m_page) > 2); // hosts, roles and nsys options
        press(Qt::Key_Tab);
    }

    void fillsVerlByKeyboard()
    {
        QVERIFY(fill("name", "grpo"));
        QVERIFY(chooseFramework("verl"));
        QVERIFY(choose("launcher.kind", "ssh"));
        QVERIFY(tabTo("hosts"));
        type("node0");
        press(Qt::Key_Return);
        QTRY_COMPARE(focused()->objectName(), QString("hosts")); // the editor closes by a queued call
        QVERIFY(fill("working_folder", "/workspace/verl"));
        QVERIFY(fill("command", "python3 -m verl.trainer.main_ppo"));
        QVERIFY(fill("environment", "NCCL_DEBUG=WARN"));
        QVERIFY(choose("tool", "nsys"));
        QVERIFY(fill("steps", "2, 5, 10-12"));
        QVERIFY(tabTo("roles"));
        press(Qt::Key_Space);    // actor on
        press(Qt::Key_Right, 3); // its ranks
        type("0, 8");
        press(Qt::Key_Return);
        QTRY_COMPARE(focused()->objectName(), QString("roles"));
        compareSaved("name: grpo\nframework: verl\nlauncher: {kind: ssh}\nhosts: [{name: node0}]\n"
                     "working_folder: /workspace/verl\ncommand: [python3, \"-m\", verl.trainer.main_ppo]\n"
                     "environment: {NCCL_DEBUG: WARN}\ntool: nsys\nsteps: [2, 5, 10, 11, 12]\n"
                     "roles: {actor: {enable: true, ranks: [0, 8]}}\n");
        QVERIFY(m_page->plan()->shownText().contains("'++global_profiler.steps=[2,5,10,11,12]'"));
    }

    void fillsNemoByKeyboard()
    {
        QVERIFY(fill("name", "nemo"));
        QVERIFY(chooseFramework("NeMo"));
        QVERIFY(fill("command", "uv run examples/run_grpo.py"));
        QVERIFY(choose("tool", "nsys"));
        QVERIFY(fill("steps", "3-4"));
        m_page->draft().edit("patterns", [](SessionConfig& config) {
            QVERIFY(setRecipeSetting(config, "worker_patterns", "*policy*"));
        });
        compareSaved("name: nemo\nframework: nemo_rl\ncommand: [uv, run, examples/run_grpo.py]\ntool: nsys\n"
                     "steps: [3, 4]\nsettings: {worker_patterns: [\"*policy*\"]}\n");
        QVERIFY(m_page->plan()->shownText().contains("3:5"));
    }

    void undoesAndRedoes()
    {
        SessionDraft& draft = m_page->draft();
        QVERIFY(fill("name", "abc"));
        QCOMPARE(draft.undoStack().count(), 1); // the letters of one field are one change
        QVERIFY(choose("tool", "torch"));
        draft.undoStack().undo();
        QVERIFY(!draft.config().tool);
        draft.undoStack().undo();
        QCOMPARE(draft.config(), SessionConfig());
        QVERIFY(!draft.isModified());
        draft.undoStack().redo();
        QCOMPARE(draft.config().name, std::string("abc"));
    }

    void fillsCellsOfTheMatrix()
    {
        QVERIFY(chooseFramework("verl"));
        RoleMatrixView* const matrix = m_page->recorded()->matrix();
        const int first = RoleMatrixModel::firstRank;
        const QRect from = matrix->visualRect(matrix->model()->index(1, first + 1));
        const QRect to = matrix->visualRect(matrix->model()->index(2, first + 3));
        QTest::mousePress(matrix->viewport(), Qt::LeftButton, {}, from.center());
        QTest::mouseMove(matrix->viewport(), to.center());
        QMouseEvent move(QEvent::MouseMove, to.center(), matrix->viewport()->mapToGlobal(to.center()),
                         Qt::NoButton, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(matrix->viewport(), &move);
        QTest::mouseRelease(matrix->viewport(), Qt::LeftButton, {}, to.center());
        const SessionConfig& config = m_page->draft().config();
        QCOMPARE(config.role(Role::rollout).ranks, (std::vector<int64_t>{1, 2, 3}));
        QCOMPARE(config.role(Role::ref).ranks, (std::vector<int64_t>{1, 2, 3}));
        QCOMPARE(config.role(Role::ref).enable, std::optional(true));
        m_page->draft().undoStack().undo();
        QVERIFY(!config.role(Role::ref).ranks);
    }

    void fixesByOneClick()
    {
        SessionDraft& draft = m_page->draft();
        const test::TempDir folder;
        m_page->openFile(folder.write("s.yaml", "framework: verl\ncommand: [python3]\ntool: nsys\n"
                                                "steps: [2, 2, 5]\nroles: {actor: {enable: true}}\n"));
        QTRY_VERIFY(!m_page->isBusy());
        const auto isFixable = [](const Finding& finding) {
            return finding.field == "steps" && finding.apply != nullptr;
        };
        QVERIFY(std::ranges::any_of(draft.findings(), isFixable));
        for (const FieldMessage* message : m_page->recorded()->findChildren<FieldMessage*>()) {
            if (message->isVisible() && test::part<QToolButton>(*message).accessibleName() == "Fix steps")
                QTest::mouseClick(&test::part<QToolButton>(*message), Qt::LeftButton);
        }
        QCOMPARE(draft.config().steps, std::optional(std::vector<int64_t>{2, 5}));
        QVERIFY(std::ranges::none_of(draft.findings(), isFixable));
        QVERIFY(draft.isModified());
    }

    void importsAndKeepsExistingValues()
    {
        SessionDraft& draft = m_page->draft();
        QVERIFY(fill("name", "before"));
        const Result<ImportedSession> imported = importOverrideList(
            "python3 -m verl.trainer.main_ppo global_profiler.tool=torch ++global_profiler.steps=[3] a.b=c");
        QVERIFY(imported);
        draft.take(*imported);
        QCOMPARE(enumName(draft.config().framework), std::string_view("verl"));
        QCOMPARE(draft.config().steps, std::optional(std::vector<int64_t>{3}));
        QVERIFY(m_page->plan()->shownText().contains("a.b=c"));
        draft.undoStack().undo();
        QCOMPARE(draft.config().name, std::string("before"));
    }

    void asksForValuesThatAScriptDoesNotContain()
    {
        const test::TempDir folder;
        const auto script = folder.write("run.sh", "D=$(probe)\nif [ $D = a ]; then n=$OTHER; else n=2; fi\n"
                                                   "python3 -m verl.trainer.main_ppo trainer.nnodes=$n\n");
        m_page->importFile(script);
        QTRY_VERIFY(m_page->findChild<ImportDialog*>() != nullptr);
        auto* const dialog = m_page->findChild<ImportDialog*>();
        QVERIFY(dialog->text()->isReadOnly() && dialog->text()->toPlainText().startsWith("D=$(probe)"));
        auto fields = dialog->findChildren<QLineEdit*>();
        QCOMPARE(fields.size(), 1);
        QVERIFY2(fields[0]->placeholderText().contains("line 1"), qPrintable(fields[0]->placeholderText()));
        fields[0]->setText("a"); // makes another value necessary
        dialog->accept();
        QVERIFY(m_page->draft().config().command.empty());
        fields = dialog->findChildren<QLineEdit*>();
        QCOMPARE(fields.size(), 2);
        fields[1]->setText("3");
        dialog->accept();
        QCOMPARE(m_page->draft().config().otherOverrides, std::vector<std::string>{"trainer.nnodes=3"});
        QTRY_VERIFY(m_page->findChild<ImportDialog*>() == nullptr);
        m_page->importFile(script);
        QTRY_VERIFY(m_page->findChild<ImportDialog*>() != nullptr);
        m_page->findChild<ImportDialog*>()->accept(); // with an empty field
        QVERIFY(m_page->draft().config().otherOverrides.empty());
    }

    // A file system that does not answer blocks a worker, not the window. The same applies to a slow pipe.
    void doesNotWaitForFiles()
    {
        const test::TempDir folder;
        const auto pipe = folder.path() / "pipe.yaml";
        QCOMPARE(::mkfifo(pipe.c_str(), 0600), 0);
        m_page->importFile(pipe);
        QVERIFY(m_page->isBusy());
        int ticks = 0;
        QTimer tick;
        connect(&tick, &QTimer::timeout, this, [&ticks] { ++ticks; });
        tick.start(1);
        QTRY_VERIFY(ticks > 20); // the event loop keeps running
        QVERIFY(m_page->isBusy());
        std::ofstream(pipe) << "global_profiler: {tool: torch, steps: [3]}\n";
        QTRY_VERIFY(!m_page->isBusy());
        QCOMPARE(m_page->draft().config().steps, std::optional(std::vector<int64_t>{3}));
    }

    void changeDuringASaveStaysUnsaved()
    {
        const test::TempDir folder;
        QVERIFY(fill("name", "saved"));
        m_page->saveTo(folder.path() / "s.yaml");
        QVERIFY(fill("name", "later"));
        QTRY_VERIFY(!m_page->isBusy());
        QVERIFY(m_page->draft().isModified());
        QCOMPARE(m_page->draft().path(), folder.path() / "s.yaml");
        QCOMPARE(loadSession(folder.path() / "s.yaml")->name, std::string("saved"));
    }

    void reportsIgnoredValues()
    {
        QVERIFY(chooseFramework("verl"));
        QVERIFY(fill("steps", "2, x"));
        QVERIFY(!m_page->draft().config().steps); // not the first part of the text
        bool isTold = false;
        for (const FieldMessage* message : m_page->recorded()->findChildren<FieldMessage*>())
            isTold = isTold || (message->isVisible() && message->text().contains("'x'"));
        QVERIFY(isTold);
        const SessionConfig before = m_page->draft().config();
        const test::TempDir folder;
        m_page->openFile(folder.write("bad.yaml", "steps: five\n"));
        QTRY_VERIFY(!m_page->isBusy());
        QCOMPARE(m_page->draft().config(), before);
    }

    void setsARoleByKeyboard()
    {
        QVERIFY(chooseFramework("verl"));
        QVERIFY(fill("command", "main_ppo"));
        QVERIFY(choose("tool", "torch"));
        QVERIFY(fill("steps", "2"));
        QVERIFY(tabTo("roles"));
        press(Qt::Key_Down, 3);
        press(Qt::Key_Space); // critic on
        QCOMPARE(m_page->role()->role(), Role::critic);
        QVERIFY(tabTo("role="));
        QCOMPARE(focused()->objectName(), QString("role=critic"));
        QVERIFY(choose("roles.critic.tool", "torch"));
        QVERIFY(fill("roles.critic.save_path", "/critic"));
        QVERIFY(fill("roles.critic.torch.contents", "cuda, cpu"));
        QVERIFY(choose("roles.critic.torch.discrete", "true"));
        QVERIFY(fill("roles.critic.torch.profile_token_end", "64"));
        QVERIFY(fill("roles.critic.torch.schedule.active", "2"));
        QVERIFY(fill("roles.critic.hooks.command", "upload.sh"));
        QVERIFY(choose("roles.critic.hooks.all_ranks", "false"));
        QVERIFY(fill("roles.critic.hooks.ranks", "0, 8"));
        QVERIFY(choose("roles.critic.hooks.relocate_results", "true"));
        compareSaved(
            "framework: verl\ncommand: [main_ppo]\ntool: torch\nsteps: [2]\nroles: {critic: {enable: true, tool: torch, "
            "save_path: /critic, torch: {contents: [cuda, cpu], discrete: true, profile_token_end: 64, "
            "schedule: {active: 2}}, hooks: {command: upload.sh, all_ranks: false, ranks: [0, 8], "
            "relocate_results: true}}}\n");
        QVERIFY(m_page->plan()->shownText().contains("'++critic.profiler.finish_hook_ranks=[0,8]'"));
    }

    void setsHooksAndAscendToolsByKeyboard()
    {
        QVERIFY(chooseFramework("verl"));
        QVERIFY(choose("tool", "npu"));
        QVERIFY(fill("npu.contents", "npu, cpu"));
        QVERIFY(choose("npu.level", "level1"));
        QVERIFY(choose("npu.analysis", "true"));
        QVERIFY(choose("npu.discrete", "true"));
        QVERIFY(fill("hooks.command", "upload.sh"));
        QVERIFY(fill("hooks.ranks", "0"));
        QVERIFY(choose("hooks.relocate_results", "false"));
        QVERIFY(choose("tool", "precision_debugger"));
        QVERIFY(fill("precision_debugger.config_path", "/etc/msprobe.json"));
        QVERIFY(fill("precision_debugger.stages", "actor_update"));
        QVERIFY(choose("precision_debugger.strict", "true"));
        compareSaved("framework: verl\ntool: precision_debugger\nnpu: {contents: [npu, cpu], level: level1, "
                     "analysis: true, discrete: true}\nprecision_debugger: {config_path: /etc/msprobe.json, "
                     "stages: [actor_update], strict: true}\nhooks: {command: upload.sh, ranks: [0], "
                     "relocate_results: false}\n");
    }

    // With an older schema the page offers the fields of that schema.
    void olderTorchUsesMiniBatches()
    {
        QVERIFY(chooseFramework("verl"));
        static_cast<void>(m_page->draft().setField("schema", ConfigValue::fromText("0.7.0")));
        QVERIFY(choose("tool", "torch"));
        QVERIFY(fill("torch.step_start", "1"));
        QVERIFY(fill("torch.step_end", "3"));
        QCOMPARE(m_page->draft().config().torch.stepEnd, std::optional<int64_t>(3));
        QVERIFY(!m_page->findChild<QWidget*>("torch.contents")->isVisible());
    }

    void describesTheController()
    {
        QVERIFY(chooseFramework("verl"));
        QAbstractItemModel& roles = *m_page->recorded()->matrix()->model();
        const auto cell = [&](int column) { return roles.index(RoleMatrixModel::kControllerRow, column); };
        QCOMPARE(roles.headerData(cell(0).row(), Qt::Vertical), QVariant("controller"));
        QCOMPARE(cell(RoleMatrixModel::on).data(Qt::CheckStateRole).toInt(), int(Qt::Unchecked));
        QVERIFY(choose("tool", "nsys"));
        QVERIFY(fill("steps", "2"));
        QCOMPARE(cell(RoleMatrixModel::on).data(Qt::CheckStateRole).toInt(), int(Qt::Checked));
        QCOMPARE(cell(RoleMatrixModel::ranks).data(), QVariant("whole run"));
        const SessionConfig before = m_page->draft().config();
        QVERIFY(tabTo("roles"));
        press(Qt::Key_Down, RoleMatrixModel::kControllerRow);
        QCOMPARE(m_page->recorded()->matrix()->currentIndex().row(), int(RoleMatrixModel::kControllerRow));
        press(Qt::Key_Space);
        press(Qt::Key_Right, 3);
        type("5");
        QCOMPARE(m_page->draft().config(), before);
        m_page->draft().edit("range", [](SessionConfig& config) {
            setOption(config.controllerOptions, "capture-range", "cudaProfilerApi");
        });
        QCOMPARE(cell(RoleMatrixModel::ranks).data(), QVariant("steps only"));
    }

    void showsTheRoleOfAFinding()
    {
        SessionDraft& draft = m_page->draft();
        draft.edit("set", [](SessionConfig& config) {
            config.framework = *enumFromWord<Framework>("verl");
            config.tool = Tool::torch;
            config.role(Role::ref).torch.contents = {"gpu"};
        });
        emit m_page->findChild<FindingsSection*>()->fieldRequested("roles.ref.torch.contents");
        QCOMPARE(focused()->objectName(), QString("roles.ref.torch.contents"));
        QCOMPARE(m_page->role()->role(), Role::ref);
    }

    void missingToolIsNotReported()
    {
        const auto isStated = [this] {
            return std::ranges::any_of(m_page->findChildren<QLabel*>(), [](const QLabel* label) {
                return label->isVisible() && label->text().contains("no tool selected;");
            });
        };
        QVERIFY(chooseFramework("verl"));
        QVERIFY(isStated());
        QVERIFY(fill("other_overrides", "'++global_profiler.tool=torch'"));
        QVERIFY(!isStated());
    }

    void numbersAsText()
    {
        QCOMPARE(*readNumbers("2, 5, 10-12"), (std::vector<int64_t>{2, 5, 10, 11, 12}));
        QCOMPARE(writeNumbers({2, 5, 10, 11, 12}), std::string("2, 5, 10-12"));
        for (const char* wrong : {"a", "3-1", "1-", "-2", "0-99999999999"})
            QVERIFY2(!readNumbers(wrong), wrong);
    }

  private:
    void compareSaved(const std::string& expected)
    {
        const test::TempDir folder;
        m_page->saveTo(folder.path() / "saved.yaml");
        QTRY_VERIFY(!m_page->isBusy());
        QVERIFY(!m_page->draft().isModified());
        const Result<SessionConfig> saved = loadSession(folder.path() / "saved.yaml");
        const Result<SessionConfig> wanted = sessionFromYaml(expected);
        QVERIFY(saved && wanted);
        QCOMPARE(canonicalYaml(*saved), canonicalYaml(*wanted));
    }
};

LOCKSTEP_TEST(SessionPageTest, "session_page_test")
#include "session_page_test.moc"
