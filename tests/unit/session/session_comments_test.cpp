// SPDX-License-Identifier: Apache-2.0
// Tests a manually written session file that is changed and saved: comments, order and layout of unchanged
// parts are preserved.
#include <QTest>

#include "core/session/finding.h"
#include "core/session/session_yaml.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

// Own order, blank lines, quotes, a block scalar, flow maps; a '#' that does not begin a comment.
constexpr const char* kText = R"(# the big run
#   second line

tool: nsys      # not torch!
steps: [2, 5]   # past warm-up
hosts:   # in rack order
  # the head
  - name: a   # first
    gpus: 8
    # spare
  - {name: b, gpus: 8}   # second
future: {x: 1} # not ours
environment:
  # for the network
  NCCL_DEBUG: WARN
  NOTE: "a # b"   # no comment inside

  TEXT: |   # a block
    # this is text
    more
command: [python3, "-m", 'x#y']
framework: verl
roles:
  actor: {enable: true, ranks: [0]}   # flow
  # nothing of the critic
name: null   # to be chosen
# the end
)";

SessionConfig sessionFrom(const std::string& text)
{
    Result<SessionConfig> config = sessionFromYaml(text);
    if (!config) qFatal("%s", config.error().message.c_str());
    return *config;
}

struct Change {
    const char* name;
    SessionEdit edit;
    const char* gone; // removed lines of the text, in order
    const char* come; // their replacements
};

std::vector<Change> changes()
{
    return {
        {"nothing", [](SessionConfig&) {}, "", ""},
        {"a value", [](SessionConfig& c) { c.steps = {3}; }, "steps: [2, 5]   # past warm-up\n",
         "steps: [3]      # past warm-up\n"},
        {"a removed key leaves its comment", [](SessionConfig& c) { c.tool.reset(); },
         "tool: nsys      # not torch!\n", "# not torch!\n"},
        {"a key that said null", [](SessionConfig& c) { c.name = "big"; }, "name: null   # to be chosen\n",
         "name: big    # to be chosen\n"},
        {"a variable", [](SessionConfig& c) { c.environment[0].second = "INFO"; }, "  NCCL_DEBUG: WARN\n",
         "  NCCL_DEBUG: INFO\n"},
        {"a removed variable", [](SessionConfig& c) { c.environment.erase(c.environment.begin() + 1); },
         "  NOTE: \"a # b\"   # no comment inside\n", "  # no comment inside\n"},
        {"an added variable", [](SessionConfig& c) { c.environment.emplace_back("Z", "9"); },
         "command: [python3, \"-m\", 'x#y']\n", "  Z: \"9\"\ncommand: [python3, \"-m\", 'x#y']\n"},
        {"a host's GPUs", [](SessionConfig& c) { c.hosts[0].gpus = 4; }, "    gpus: 8\n", "    gpus: 4\n"},
        {"a host's new key", [](SessionConfig& c) { c.hosts[0].address = "u@a"; }, "  - name: a   # first\n",
         "  - name: a   # first\n    address: u@a\n"},
        {"a removed host", [](SessionConfig& c) { c.hosts.pop_back(); },
         "  - {name: b, gpus: 8}   # second\n", "  # second\n"},
        {"an added host",
         [](SessionConfig& c) {
             c.hosts.push_back({"c", "", 2, {}, {}});
         },
         "future: {x: 1} # not ours\n", "  - name: c\n    gpus: 2\nfuture: {x: 1} # not ours\n"},
        {"within a flow map", [](SessionConfig& c) { c.role(Role::actor).allRanks = true; },
         "  actor: {enable: true, ranks: [0]}   # flow\n",
         "  actor:                              # flow\n    enable: true\n    all_ranks: true\n    ranks: [0]\n"},
        {"a block of text", [](SessionConfig& c) { c.environment[2].second = "t"; },
         "  TEXT: |   # a block\n    # this is text\n    more\n", "  TEXT: t   # a block\n"},
        {"an unknown key", [](SessionConfig& c) { c.unknown.clear(); }, "future: {x: 1} # not ours\n",
         "# not ours\n"},
    };
}

} // namespace

class SessionCommentsTest : public QObject {
    Q_OBJECT

  private slots:
    // A value typed in clear text is read, and written as a reference; the comments are preserved without it.
    void secretsAreRemovedAndCommentsKept()
    {
        const std::string text = "# the big run\nframework: verl\nenvironment:\n  # ask Ann\n"
                                 "  WANDB_API_KEY: 0123456789abcdef  # mine, was 0123456789abcdef\n"
                                 "  NCCL_DEBUG: WARN # loud\n# HF_TOKEN: 0123456789abcdef\n";
        SessionConfig config = sessionFrom(text);
        for (const bool isChanged : {false, true}) {
            if (isChanged) config.totalSteps = 7;
            const std::string saved = yamlFromSession(config);
            QVERIFY2(saved.find("0123456789abcdef") == std::string::npos, saved.c_str());
            for (const char* kept : {"# the big run", "# ask Ann", "# loud",
                                     "WANDB_API_KEY: \"$WANDB_API_KEY\"", "mine, was $WANDB_API_KEY"})
                QVERIFY2(saved.find(kept) != std::string::npos,
                         (kept + (" is missing in:\n" + saved)).c_str());
            QCOMPARE(sessionFrom(saved).totalSteps, config.totalSteps);
        }
    }

    void changeAndSave_data();
    void changeAndSave();
    void otherLayoutsKeepTheirComments_data();
    void otherLayoutsKeepTheirComments();
    void commentsAreRemovedWithTheirKey();
    void aNewSessionHasOnlyItsOwn();
    void throughTheFile();
};

void SessionCommentsTest::changeAndSave_data()
{
    QTest::addColumn<int>("index");
    for (size_t i = 0; i < changes().size(); ++i)
        QTest::newRow(changes()[i].name) << static_cast<int>(i);
}

void SessionCommentsTest::changeAndSave()
{
    QFETCH(int, index);
    const Change change = changes()[static_cast<size_t>(index)];
    for (const std::string end : {"\n", "\r\n"}) {
        QString text(kText), gone(change.gone), come(change.come);
        for (QString* one : {&text, &gone, &come})
            one->replace("\n", QString::fromStdString(end));
        SessionConfig config = sessionFrom(text.toStdString());
        change.edit(config);
        const std::string saved = yamlFromSession(config);
        const qsizetype at = text.indexOf(gone);
        QVERIFY(at >= 0);
        text.replace(at, gone.size(), come);
        // A block scalar's own line feeds belong to the file; only the layout matters here.
        QCOMPARE(QString::fromStdString(saved), text);
        QVERIFY(sessionFrom(saved) == config);
    }
}

// If single lines cannot be changed, the text is rewritten with all comments.
void SessionCommentsTest::otherLayoutsKeepTheirComments_data()
{
    QTest::addColumn<QString>("text");
    const auto row = [](const char* name, const char* text) { QTest::newRow(name) << text; };
    row("one line", "{tool: nsys, steps: [1]} # c1\n");
    row("flow over lines", "{tool: nsys, # c1\n steps: [1]} # c2\n");
    row("alias", "tool: nsys # c1\nroles:\n  actor: &a {enable: true} # c2\n  critic: *a # c3\nsteps: [1]\n");
    row("explicit keys", "? tool # c1\n: nsys\n? steps\n: [1] # c2\n");
    row("a list over lines", "tool: nsys\nsteps: [1, # c1\n  # c2\n  4] # c3\n");
    row("a list of lines", "steps: # c0\n  - 1 # c1\n  # c2\n  - 4 # c3\ntool: nsys\n");
    row("dashes at the margin", "steps:\n- 1 # c1\n- 4\ntool: nsys # c2\n");
    row("no line end", "tool: nsys\nsteps: [1] # c1");
    row("a document's marks", "--- # c0\ntool: nsys\nsteps: [1] # c1\n...\n# c2\n");
    row("quoted keys", "\"tool\": nsys # c1\n'steps': [1] # c2\n");
    row("quotes over lines", "name: \"a\n  # no comment\n  b\" # c1\ntool: nsys\nsteps: [1]\n");
    row("other order", "steps: [1] # c2\n# c1\ntool: nsys\nenvironment: {B: 1, A: 2} # c3\n");
}

void SessionCommentsTest::otherLayoutsKeepTheirComments()
{
    QFETCH(QString, text);
    const SessionConfig was = sessionFrom(text.toStdString());
    QCOMPARE(QString::fromStdString(yamlFromSession(was)), text);
    const std::vector<SessionEdit> edits{[](SessionConfig& c) {
                                             c.steps = {7, 8};
                                         },
                                         [](SessionConfig& c) { c.tool = Tool::torch; },
                                         [](SessionConfig& c) { c.steps.reset(); },
                                         [](SessionConfig& c) { c.savePath = "/p"; },
                                         [](SessionConfig& c) { c.role(Role::actor).enable = false; },
                                         [](SessionConfig& c) { std::ranges::reverse(c.environment); },
                                         [](SessionConfig& c) {
                                             SessionConfig other;
                                             other.source = c.source;
                                             c = other;
                                         }};
    for (const SessionEdit& edit : edits) {
        SessionConfig config = was;
        edit(config);
        const std::string saved = yamlFromSession(config);
        QVERIFY2(sessionFrom(saved) == config, saved.c_str());
        for (const char* comment : {"# c0", "# c1", "# c2", "# c3"})
            QVERIFY2(!text.contains(comment) || saved.find(comment) != std::string::npos, saved.c_str());
        QVERIFY2(saved.find("# no comment") == std::string::npos || text.contains("# no comment"),
                 saved.c_str());
    }
}

void SessionCommentsTest::commentsAreRemovedWithTheirKey()
{
    SessionConfig config;
    config.steps = {2};
    config.tool = Tool::nsys;
    SessionConfig again = sessionFrom(canonicalYaml(config));
    again.steps.reset();
    config.steps.reset();
    QCOMPARE(yamlFromSession(again), canonicalYaml(config));
}

void SessionCommentsTest::aNewSessionHasOnlyItsOwn()
{
    SessionConfig config = sessionFrom(kText);
    config.source = {};
    const std::string text = yamlFromSession(config);
    QCOMPARE(text, canonicalYaml(config));
    QVERIFY(text.find("not torch!") == std::string::npos);
}

void SessionCommentsTest::throughTheFile()
{
    const test::TempDir folder;
    const auto path = folder.write("s.yaml", kText);
    Result<SessionConfig> config = loadSession(path);
    QVERIFY(config);
    const auto other = folder.path() / "other.yaml";
    QVERIFY(saveSession(*config, other));
    QFile file(QString::fromStdString(other.string()));
    QVERIFY(file.open(QIODevice::ReadOnly));
    QCOMPARE(file.readAll(), QByteArray(kText));
    // Changed, saved, changed back, saved: equal to the original.
    config->steps = {9};
    QVERIFY(saveSession(*config, path));
    Result<SessionConfig> changed = loadSession(path);
    changed->steps = {2, 5};
    QCOMPARE(QString::fromStdString(yamlFromSession(*changed)), QString(kText));
}

LOCKSTEP_TEST(SessionCommentsTest, "session_comments_test")
#include "session_comments_test.moc"
