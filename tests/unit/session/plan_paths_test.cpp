// SPDX-License-Identifier: Apache-2.0
// Pastes plans into a real bash: references such as ~ and $USER are expanded, everything else stays as the
// session has it, and nothing of it is executed.
#include <QTest>

#include "core/base/host_reference.h"
#include "core/session/launch_plan.h"
#include "core/session/preflight.h"
#include "core/session/shell_quote.h"
#include "tests/support/bash_arguments.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

struct Case {
    std::string word, expected; // H in expected is the home folder
};

const std::vector<Case> kCases{{"~/a b/x", "H/a b/x"},
                               {"~", "H"},
                               {"~/", "H/"},
                               {"$HOME/x", "H/x"},
                               {"${HOME}/a b", "H/a b"},
                               {"$HOME", "H"},
                               {"--output=~/a b/x", "--output=H/a b/x"},
                               {"++a.path=$HOME/x", "++a.path=H/x"},
                               {"++a.path=\"~/x y\"", "++a.path=\"H/x y\""},
                               {"~user/x", "~user/x"},
                               {"~+", "~+"},
                               {"a~b", "a~b"},
                               {"a/~/b", "a/~/b"},
                               {"x=y=~/z", "x=y=~/z"},
                               {"$HOMEX/x", "$HOMEX/x"},
                               {"${HOME:-/x}/y", "${HOME:-/x}/y"},
                               {"a$HOME", "aH"},
                               {"$HOME:${HOME}/x", "H:H/x"},
                               {"$$HOME", "$HOME"},
                               {"$$", "$"},
                               {"a$$$HOME$$x", "a$H$x"},
                               {"$USER/${USER}x/$USERX", "U/Ux/$USERX"},
                               {"--d=$PWD/x", "--d=P/x"},
                               {"/s/$SLURM_JOB_ID", "/s/7"},
                               {"$SLURM_", "$SLURM_"},
                               {"${RAY_X Y}", "${RAY_X Y}"},
                               {"['$HOME/a','~/b']", "['H/a','~/b']"},
                               {"it's \"quoted\"", "it's \"quoted\""},
                               {"~/it's \"quoted\"", "H/it's \"quoted\""},
                               {"$(touch PWNED)", "$(touch PWNED)"},
                               {"`touch PWNED`", "`touch PWNED`"},
                               {"~/$(touch PWNED)", "H/$(touch PWNED)"},
                               {"$HOME/`touch PWNED`", "H/`touch PWNED`"},
                               {"--o=~/$(touch PWNED)", "--o=H/$(touch PWNED)"},
                               {"$(touch PWNED)=~/x", "$(touch PWNED)=H/x"},
                               {"~/x; touch PWNED", "H/x; touch PWNED"},
                               {"~/x\ntouch PWNED\n", "H/x\ntouch PWNED\n"},
                               {"~/$USER", "H/U"}};

// Replaces the letters that stand for values, unless the word keeps a name.
std::string withValues(const std::string& text, const std::string& home)
{
    std::string out;
    for (size_t at = 0; at < text.size(); ++at) {
        const bool isName = at + 1 < text.size() && text[at + 1] >= 'A' && text[at + 1] <= 'Z';
        const bool isInside = at > 0 && ((text[at - 1] >= 'A' && text[at - 1] <= 'Z') || text[at - 1] == '_');
        const char letter = isName || isInside ? ' ' : text[at];
        out += letter == 'H'   ? home
               : letter == 'U' ? std::string("someone")
               : letter == 'P' ? home + "/w d"
                               : std::string(1, text[at]);
    }
    return out;
}

bool isBelow(const std::filesystem::path& folder, const std::string& name)
{
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
        if (entry.path().filename() == name) return true;
    }
    return false;
}

} // namespace

class PlanPathsTest : public QObject {
    Q_OBJECT

  private slots:
    void init()
    {
        m_home = std::make_unique<test::TempDir>();
        m_before = qgetenv("HOME");
        qputenv("HOME", QByteArray::fromStdString(m_home->path().string()));
        qputenv("USER", "someone");
        qputenv("SLURM_JOB_ID", "7");
        std::filesystem::create_directories(m_home->path() / "w d");
    }
    void cleanup()
    {
        qputenv("HOME", m_before);
        m_home.reset();
    }

    void pastedWordsAreExpandedAsByTheAgent()
    {
        const std::string home = m_home->path().string();
        SessionConfig config;
        config.framework = Framework::plain;
        config.launcher.kind = LauncherKind::local;
        config.workingFolder = "~/w d";
        config.command = {"show"};
        std::vector<std::string> expected{"show"};
        for (const Case& one : kCases) {
            config.command.push_back(one.word);
            expected.push_back(withValues(one.expected, home));
            QCOMPARE(resolvedHere(one.word, home + "/w d"), expected.back()); // the agent calls this function
        }
        config.environment = {{"A", "~/b c"}, {"B", "a~b"}, {"C", "$(touch PWNED)"}, {"D", "$HOME/x"}};
        const Result<LaunchPlan> plan = planLaunch(config, {});
        QVERIFY2(plan, plan ? "" : plan.error().message.c_str());
        const std::string text = planText(*plan);
        QVERIFY2(text.find("cd ~/'w d'") != std::string::npos, text.c_str());
        const auto words = test::bashArguments(text, "show", {"A", "B", "C", "D", "PWD"});
        QVERIFY2(words, text.c_str());
        QCOMPARE(words->argv, expected);
        QCOMPARE(words->environment,
                 (std::vector<std::string>{"A=" + home + "/b c", "B=a~b", "C=$(touch PWNED)",
                                           "D=" + home + "/x", "PWD=" + home + "/w d"}));
        QVERIFY(!isBelow(m_home->path(), "PWNED"));
    }

    void literalTextsStayLiteral()
    {
        for (const char* text :
             {"$", "$$", "$$$", "a$$HOME", "$HOME/${USER}", "$X$SLURM_A", "${HOME", "$(x)"})
            QCOMPARE(resolvedHere(literalText(text)), std::string(text));
        QCOMPARE(literalText("$X ${a.b} $(date)"), std::string("$X ${a.b} $(date)"));
        QVERIFY(
            (withLiteralShellTexts({"docker", "exec", "x", "bash", "-lc", "cd $HOME; x $1", "$HOME"}) ==
             std::vector<std::string>{"docker", "exec", "x", "bash", "-lc", "cd $$HOME; x $$1", "$HOME"}));
    }

    void preflightNamesWhatIsNotResolved()
    {
        SessionConfig config;
        config.framework = Framework::plain;
        config.launcher.kind = LauncherKind::ssh;
        config.hosts.resize(1);
        config.hosts[0].name = "a";
        config.command = {"x", "$SLURM_NNODES", "$OTHER", "$$QUOTED", "${a.b}", "bash", "-c", "echo $IN"};
        config.environment = {{"A", "$HOME/$USER/$PWD"}, {"B", "${LD_LIBRARY_PATH}:/x"}};
        const auto rulesOf = [&config](std::span<const HostFacts> facts) {
            QString text;
            for (const Finding& finding : preflight(config, facts)) {
                if (finding.rule.starts_with("reference."))
                    text += QString::fromStdString(
                        finding.field + " " + finding.reason.substr(0, finding.reason.find_first_of(": ")) +
                        (finding.severity == Severity::error ? "!" : "") + "\n");
            }
            return text;
        };
        const QString others = "command $OTHER\nenvironment $LD_LIBRARY_PATH\n";
        QCOMPARE(rulesOf({}), "command $SLURM_NNODES\n" + others);
        HostFacts facts;
        facts.host = "a";
        QCOMPARE(rulesOf(std::span(&facts, 1)), "command $SLURM_NNODES!\n" + others);
        facts.environment = {{"SLURM_NNODES", "2"}};
        QCOMPARE(rulesOf(std::span(&facts, 1)), others);
        config.launcher.kind = LauncherKind::slurm;
        config.workingFolder = "/s/$SLURM_JOB_ID";
        QCOMPARE(rulesOf({}), "working_folder $SLURM_JOB_ID!\n" + others);
    }

    // Names, paths and contents also appear in comments.
    void nothingOfANameIsExecuted()
    {
        for (const std::string hostile : {"$(touch ~/PWNED)", "`touch ~/PWNED`", "x; touch ~/PWNED",
                                          "x' ; touch ~/PWNED; '", "x\" $(touch ~/PWNED)"}) {
            SessionConfig config;
            config.name = "n";
            config.framework = Framework::plain;
            config.launcher.kind = LauncherKind::slurm;
            config.launcher.loginNode = hostile;
            config.launcher.agentFolder = "~/" + hostile;
            config.tool = Tool::capture;
            config.command = {"true", hostile};
            config.savePath = "~/" + hostile;
            config.hosts.resize(1);
            config.hosts[0].name = hostile;
            for (const LauncherKind kind : {LauncherKind::slurm, LauncherKind::ssh}) {
                config.launcher.kind = kind;
                const Result<LaunchPlan> plan = planLaunch(config, {});
                QVERIFY2(plan, plan ? "" : plan.error().message.c_str());
                const std::string text = planText(*plan);
                QVERIFY2(test::bashAccepts(text), text.c_str());
                static_cast<void>(test::bashArguments(text, "sbatch"));
                QVERIFY2(!std::filesystem::exists(m_home->path() / "PWNED"), text.c_str());
            }
        }
    }

    void planNamesTheStepsThatOnlyLockstepPerforms()
    {
        SessionConfig config;
        config.name = "n";
        config.framework = Framework::torchrun;
        config.launcher.kind = LauncherKind::ssh;
        config.tool = Tool::capture;
        config.command = {"train.py"};
        config.hosts.resize(2);
        config.hosts[0].name = "a";
        config.hosts[1].name = "b";
        const std::string text = planText(*planLaunch(config, {}));
        for (const char* step :
             {"# Check hosts, Launch: copy lockstep-agent to ~/.cache/lockstep/agent/VERSION-DIGEST/",
              "# Check hosts, Launch: copy liblockstep_capture.so to ",
              "# Check hosts, Launch: read the hardware, software, folders and clock",
              "# Launch: the agent runs the commands and writes its log to "
              "~/.local/state/lockstep/agent-runs/RUN/",
              "# Launch: hosts compare their clocks during the run over UDP",
              "\n# 1. create report folder\n"})
            QVERIFY2(text.find(step) != std::string::npos, (step + ("\n" + text)).c_str());
        config.launcher.agentFolder = "/scratch/ls";
        QVERIFY(planText(*planLaunch(config, {})).find("copy lockstep-agent to /scratch/ls/agent/") !=
                std::string::npos);
    }

  private:
    std::unique_ptr<test::TempDir> m_home;
    QByteArray m_before;
};

LOCKSTEP_TEST(PlanPathsTest, "plan_paths_test")
#include "plan_paths_test.moc"
