// SPDX-License-Identifier: Apache-2.0
// Tests how the Session page looks, in both themes and two sizes: nothing is cut off, and the form needs no
// horizontal scrolling. With LOCKSTEP_PICTURES=FOLDER the pictures are saved.
#include <QAbstractButton>
#include <QApplication>
#include <QLabel>
#include <QLineEdit>
#include <QScrollArea>
#include <QScrollBar>

#include "core/session/session_yaml.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"
#include "ui/session/import_dialog.h"
#include "ui/session/session_page.h"
#include "ui/session/session_sections.h"
#include "ui/style/style_sheet.h"

using namespace lockstep;

namespace {

constexpr const char* kTorch =
    "name: grpo\nframework: verl\nschema: head\nhosts: [{name: node0, gpus: 8}, {name: node1, gpus: 8}]\n"
    "launcher: {kind: ssh}\nworking_folder: /workspace/verl\ncommand: [python3, \"-m\", verl.trainer.main_ppo]\n"
    "tool: torch\nsteps: [2, 5]\nsave_path: /shared/profile\ntorch: {contents: [cuda, cpu], discrete: true}\n"
    "roles: {actor: {enable: true, ranks: [0, 8]}, critic: {enable: true, ranks: [0], tool: torch, "
    "save_path: /shared/critic, torch: {contents: [cuda, shapes], schedule: {active: 2}}, hooks: {ranks: [0]}}}\n"
    "hooks: {command: /shared/upload.sh, relocate_results: true}\n";
constexpr const char* kNsys =
    "name: grpo\nframework: verl\nschema: head\nhosts: [{name: node0, gpus: 8}]\ncommand: [main_ppo]\n"
    "tool: nsys\nsteps: [2]\ndiscrete: true\nroles: {actor: {enable: true, all_ranks: true}}\n";
constexpr const char* kNpu =
    "name: npu\nframework: verl\nschema: \"0.5.0\"\ncommand: [main_ppo]\ntool: npu\nsteps: [2]\n"
    "npu: {contents: [npu, cpu, stack], level: level1, analysis: false}\nroles: {actor: {ranks: [0]}}\n";
constexpr const char* kCapture =
    "name: own\nframework: torchrun\nhosts: [{name: node0, gpus: 8}, {name: node1, gpus: 8}]\nlauncher: {kind: ssh}\n"
    "working_folder: /workspace/train\ncommand: [train.py]\ntool: capture\nsteps: [2, 3, 9]\ndiscrete: true\n"
    "profile_continuous_steps: true\nsave_path: /shared/profile\n"
    "capture: {range: \"nvtx:\", ranks: [0, 8], role: actor, when_full: block, cuda: true, graph_trace: graph}\n";

constexpr const char* kRecipe =
    "name: slime\nframework: slime\nhosts: [{name: node0, gpus: 8}, {name: node1, gpus: 8}]\n"
    "launcher: {kind: ssh}\nworking_folder: /root/slime\ncommand: [python3, train.py, --actor-num-nodes, \"2\", "
    "--actor-num-gpus-per-node, \"8\", --rollout-num-gpus-per-engine, \"2\"]\ntool: torch\nsteps: [11, 12]\n"
    "save_path: /shared/profile\nsettings: {details: /shared/details}\n";

// Without a profiler: the records of samples alone.
constexpr const char* kSampleRecords =
    "name: miles\nframework: miles\nhosts: [{name: node0, gpus: 8}, {name: node1, gpus: 8}]\n"
    "launcher: {kind: ssh}\nworking_folder: /root/miles\ncommand: [python3, train_async.py, --num-rollout, \"50\", "
    "--rollout-num-gpus-per-engine, \"2\"]\n"
    "settings: {details: /shared/details, dashboard: true, requests: true}\n";

constexpr const char* kTwoHosts =
    "name: grpo\nframework: verl\nhosts: [{name: node0, gpus: 8}, {name: node1, gpus: 8}]\n"
    "launcher: {kind: ssh}\nworking_folder: /workspace/verl\ncommand: [python3, \"-m\", verl.trainer.main_ppo]\n"
    "tool: nsys\nsteps: [2, 5]\nroles: {actor: {enable: true, ranks: [0, 8]}}\n";
constexpr const char* kLocal =
    "name: local\nframework: torchrun\nlauncher: {kind: local}\ncommand: [train.py]\n"
    "tool: nsys\nsteps: [10, 11]\n";

bool isCut(const QAbstractButton& button)
{
    return button.fontMetrics().horizontalAdvance(button.text()) > button.width();
}

// A script of a cluster whose values only the cluster knows: more questions than fit in the dialog.
constexpr char kQuestions[] = R"(#!/bin/bash
#SBATCH --nodes=4
set -xeuo pipefail
source $HOME/cluster.sh
export HEAD_ADDRESS=$(hostname -I | awk '{print $1}')
export CHECKPOINT_FOLDER=${CHECKPOINT_FOLDER:-$(mktemp -d)}
python3 -m verl.trainer.main_ppo trainer.nnodes=$SLURM_JOB_NUM_NODES \
    data.train_files=$DATA_FOLDER/train.parquet data.val_files=$DATA_FOLDER/test.parquet \
    actor_rollout_ref.model.path=$MODEL_PATH critic.model.path=$CRITIC_PATH \
    trainer.default_local_dir=$CHECKPOINT_FOLDER/grpo data.max_response_length=$LENGTH \
    actor_rollout_ref.rollout.n=$SAMPLES trainer.n_gpus_per_node=$GPUS_PER_NODE \
    algorithm.kl_ctrl.kl_coef=$KL trainer.experiment_name=$NAME "$@"
)";

void showWith(const Theme& theme)
{
    QApplication::setFont(interfaceFont(1));
    QApplication::setPalette(theme.palette());
    qApp->setStyleSheet(styleSheetOf(theme, 1));
}

} // namespace

class SessionPictureTest : public QObject {
    Q_OBJECT

  private slots:
    void nothingIsCutOff_data();
    void nothingIsCutOff();
    void questionsOfAnImport_data();
    void questionsOfAnImport();
};

void SessionPictureTest::nothingIsCutOff_data()
{
    QTest::addColumn<bool>("isDark");
    QTest::addColumn<QSize>("size");
    QTest::addColumn<QString>("session");
    QTest::addColumn<int>("role");
    const std::vector<std::pair<const char*, const char*>> sessions{
        {"torch", kTorch},        {"nsys", kNsys},   {"npu", kNpu},       {"capture", kCapture},
        {"two_hosts", kTwoHosts}, {"local", kLocal}, {"recipe", kRecipe}, {"samples", kSampleRecords}};
    for (const auto& [name, yaml] : sessions) {
        for (const bool isDark : {false, true}) {
            for (const QSize size : {QSize(1280, 720), QSize(1600, 1000)}) {
                QTest::addRow("%s-%s-%d", name, isDark ? "dark" : "light", size.width())
                    << isDark << size << yaml << (yaml == kTorch ? int(Role::critic) : int(Role::actor));
            }
        }
    }
}

void SessionPictureTest::nothingIsCutOff()
{
    QFETCH(bool, isDark);
    QFETCH(QSize, size);
    QFETCH(QString, session);
    QFETCH(int, role);
    const Theme& theme = isDark ? darkTheme() : lightTheme();
    showWith(theme);
    const test::TempDir folder;
    SessionPage page;
    page.setTheme(theme);
    page.resize(size);
    page.show();
    QVERIFY(QTest::qWaitForWindowExposed(&page));
    page.openFile(folder.write("grpo.yaml", session.toStdString()));
    QTRY_VERIFY(!page.isBusy());
    page.role()->showRole(static_cast<Role>(role));
    if (session == kTwoHosts || session == kLocal) {
        auto* const steps = page.findChild<QLineEdit*>("steps");
        steps->setFocus();
        steps->selectAll();
        QTest::keyClicks(steps, isDark ? "2,x,0" : "2, 3"); // with and without a refused text
    }
    QCoreApplication::sendPostedEvents();
    auto* const form =
        qobject_cast<QScrollArea*>(page.recorded()->parentWidget()->parentWidget()->parentWidget());
    QVERIFY(form);
    QCOMPARE(form->horizontalScrollBar()->maximum(), 0);
    const QString pictures = qEnvironmentVariable("LOCKSTEP_PICTURES");
    int number = 0;
    for (QWidget* part :
         {static_cast<QWidget*>(page.recorded()), static_cast<QWidget*>(page.tool()),
          static_cast<QWidget*>(page.role()), static_cast<QWidget*>(page.findChild<ProgramSection*>())}) {
        ++number;
        if (!part->isVisible()) continue; // hidden for frameworks without roles
        form->verticalScrollBar()->setValue(part->y() - 8);
        QCoreApplication::sendPostedEvents();
        for (const QAbstractButton* button : part->findChildren<QAbstractButton*>())
            QVERIFY2(!button->isVisible() || !isCut(*button), qPrintable(button->objectName()));
        QVERIFY(part->width() >= part->minimumSizeHint().width());
        QVERIFY(part->height() >= part->minimumSizeHint().height());
        const QString name =
            QString("%1/session-%2-%3.png").arg(pictures, QTest::currentDataTag()).arg(number);
        if (!pictures.isEmpty()) QVERIFY(page.grab().save(name));
    }
    qApp->setStyleSheet({});
}

void SessionPictureTest::questionsOfAnImport_data()
{
    QTest::addColumn<bool>("isDark");
    QTest::addRow("light") << false;
    QTest::addRow("dark") << true;
}

void SessionPictureTest::questionsOfAnImport()
{
    QFETCH(bool, isDark);
    const Theme& theme = isDark ? darkTheme() : lightTheme();
    showWith(theme);
    const test::TempDir folder;
    SessionPage page;
    page.setTheme(theme);
    page.show();
    page.importFile(folder.write("grpo.sh", kQuestions));
    QTRY_VERIFY(page.findChild<ImportDialog*>() != nullptr);
    auto* const dialog = page.findChild<ImportDialog*>();
    QVERIFY(QTest::qWaitForWindowExposed(dialog));
    const auto fields = dialog->findChildren<QLineEdit*>();
    QVERIFY(fields.size() > 6);
    for (const QLineEdit* field : fields) {
        const int width = field->fontMetrics().horizontalAdvance(field->placeholderText());
        QVERIFY2(width < field->width(), qPrintable(field->placeholderText()));
    }
    const QString pictures = qEnvironmentVariable("LOCKSTEP_PICTURES");
    const QString name = QString("%1/import-%2.png").arg(pictures, QTest::currentDataTag());
    if (!pictures.isEmpty()) QVERIFY(dialog->grab().save(name));
    qApp->setStyleSheet({});
}

LOCKSTEP_TEST(SessionPictureTest, "session_picture_test")
#include "session_picture_test.moc"
