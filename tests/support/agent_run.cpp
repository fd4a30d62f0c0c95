// SPDX-License-Identifier: Apache-2.0
#include "tests/support/agent_run.h"

#include <csignal>

#include <QDeadlineTimer>
#include <QFile>
#include <QJsonDocument>
#include <QTest>

#include "core/base/host_reference.h"
#include "core/session/recipes/recipe_library.h"
#include "core/session/typed_value.h"
#include "tests/support/places.h"
#include "tests/support/slowness.h"

namespace lockstep::test {

namespace {

QList<QJsonObject> objectsOf(const QByteArray& lines)
{
    QList<QJsonObject> objects;
    for (const QByteArray& line : lines.left(lines.lastIndexOf('\n') + 1).split('\n')) {
        if (!line.isEmpty()) objects.append(QJsonDocument::fromJson(line).object());
    }
    return objects;
}

QByteArray fileBytes(const std::filesystem::path& path)
{
    QFile file(QString::fromStdString(path.string()));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

} // namespace

QList<QJsonObject> AgentAnswer::objects() const
{
    return objectsOf(output);
}

QProcessEnvironment agentEnvironment(const std::filesystem::path& home)
{
    QProcessEnvironment environment;
    const QString folder = QString::fromStdString(home.string());
    environment.insert("HOME", folder);
    environment.insert("PATH", folder + "/bin:/usr/local/bin:/usr/bin:/bin");
    environment.insert("LC_ALL", "C");
    for (const char* const passed : {"LOCKSTEP_AGENT_LEFT_PATIENCE_S", "USER", "SLURM_JOB_ID"}) {
        if (qEnvironmentVariableIsSet(passed)) environment.insert(passed, qEnvironmentVariable(passed));
    }
    addSanitizerOptions(environment);
    return environment;
}

AgentAnswer runAgent(const std::filesystem::path& home, const QStringList& arguments, const QByteArray& input)
{
    QProcess process;
    process.setProcessEnvironment(agentEnvironment(home));
    process.setWorkingDirectory(QString::fromStdString(home.string()));
    process.start(builtProgram("lockstep-agent"), arguments);
    process.write(input);
    process.closeWriteChannel();
    AgentAnswer answer;
    const bool ended = process.waitForFinished(kPatience_ms);
    if (ended && process.exitStatus() == QProcess::NormalExit) answer.status = process.exitCode();
    answer.output = process.readAllStandardOutput();
    answer.errors = process.readAllStandardError();
    return answer;
}

QJsonObject hostPlan(const QList<QStringList>& commands, const QStringList& reportFolders)
{
    QJsonArray list;
    for (const QStringList& argv : commands) {
        list.append(QJsonObject{{"order", list.size() + 1},
                                {"purpose", "part " + QString::number(list.size())},
                                {"argv", QJsonArray::fromStringList(argv)}});
    }
    QJsonArray signs;
    for (const LaunchRecipe& recipe : launchRecipes()) {
        for (const LogSign& sign : recipe.logSigns)
            signs.append(QJsonObject{{"kind", enumName(sign.kind).data()},
                                     {"log", QString::fromStdString(sign.pattern.expression())}});
    }
    return {{"lockstep_plan", 1},
            {"host", "here"},
            {"signs", signs},
            {"commands", list},
            {"reports", QJsonArray::fromStringList(reportFolders)}};
}

QStringList shell(const QString& script)
{
    // As in a plan, where the text of a shell is literal.
    return {"sh", "-c", QString::fromStdString(literalText(script.toStdString()))};
}

AgentRun::AgentRun(const QJsonObject& plan)
{
    m_home.write("plan.json", QJsonDocument(plan).toJson().toStdString());
}

AgentRun::~AgentRun()
{
    if (std::filesystem::exists(folder() / "plan.json")) stop({"--grace", "0"});
}

AgentAnswer AgentRun::start(const QStringList& options)
{
    return agent(QStringList{"run", "--plan", "plan.json", "--run-dir", folderText(), "--detach"} + options);
}

AgentAnswer AgentRun::attach(const QStringList& options)
{
    return agent(QStringList{"attach", folderText()} + options);
}

AgentAnswer AgentRun::stop(const QStringList& options)
{
    return agent(QStringList{"stop", folderText()} + options);
}

QList<QJsonObject> AgentRun::events() const
{
    return objectsOf(fileBytes(folder() / "events.jsonl"));
}

QJsonObject AgentRun::waitFor(const std::function<bool(const QJsonObject&)>& wanted, int patience_ms) const
{
    for (const QDeadlineTimer deadline(patience_ms); !deadline.hasExpired(); QTest::qWait(20)) {
        for (const QJsonObject& event : events()) {
            if (wanted(event)) return event;
        }
    }
    return {};
}

int AgentRun::supervisor() const
{
    const int pid = fileBytes(folder() / "supervisor.pid").split(' ').first().toInt();
    return isRunning(pid) ? pid : 0;
}

QString textOf(const QList<QJsonObject>& events, const QString& kind, int command)
{
    QString text;
    for (const QJsonObject& event : events) {
        if (event["kind"] == kind && (command < 0 || event["command"] == command))
            text += event["text"].toString();
    }
    return text;
}

QList<QJsonObject> ofKind(const QList<QJsonObject>& events, const QString& kind)
{
    QList<QJsonObject> found;
    for (const QJsonObject& event : events) {
        if (event["kind"] == kind) found.append(event);
    }
    return found;
}

bool isGapless(const QList<QJsonObject>& events)
{
    qint64 seq = 0;
    for (const QJsonObject& event : events) {
        if (event["seq"].toInteger() != ++seq) return false;
    }
    return seq > 0;
}

// A zombie process (ended, not yet waited for) does not count as running.
bool isRunning(int pid)
{
    if (pid <= 0 || ::kill(pid, 0) != 0) return false;
    const QByteArray stat = fileBytes("/proc/" + std::to_string(pid) + "/stat");
    return !stat.isEmpty() && stat.mid(stat.lastIndexOf(')') + 2, 1) != "Z";
}

} // namespace lockstep::test
