// SPDX-License-Identifier: Apache-2.0
// Outputs in the forms that Ray 2.9 to 2.52 print: records without a terminal, plain lines with
// --log-style=pretty, tracebacks of the client and of the server.
#include <QTest>

#include "core/scheduler/ray_answers.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

const std::string kJob = "lockstep-20261127-1";

// One record of Ray's command line.
std::string record(const std::string& level, const std::string& text)
{
    return "2026-11-27 10:00:00,123\t" + level + " cli.py:36 -- " + text + "\n";
}

const std::string kServer = record("INFO", "Job submission server address: http://head:8265");

std::string big(const std::string& level, const std::string& text)
{
    const std::string dashes = record(level, std::string(text.size(), '-'));
    return dashes + record(level, text) + dashes;
}

std::string statusOutput(const std::string& state, const std::string& message)
{
    if (state == "SUCCEEDED") return kServer + big("SUCC", "Job '" + kJob + "' succeeded");
    if (state == "STOPPED") return kServer + record("WARN", "Job '" + kJob + "' was stopped");
    if (state == "FAILED")
        return kServer + big("ERR", "Job '" + kJob + "' failed") +
               record("INFO", "Status message: " + message);
    return kServer + record("INFO", "Status for job '" + kJob + "': " + state) +
           record("INFO", "Status message: " + message);
}

std::string traceback(const std::string& error)
{
    return "2026-11-27 10:00:00,001\tINFO dashboard_sdk.py:338 -- Uploading package gcs://a.zip.\n" +
           std::string(
               "Traceback (most recent call last):\n  File \"/opt/ray/bin/ray\", line 8, in <module>\n"
               "    sys.exit(main())\n             ^^^^^^\n") +
           error + "\n";
}

const std::string kExists =
    "RuntimeError: Request failed with status code 500: Traceback (most recent call last):\n"
    "  File \"job_head.py\", line 390, in submit_job\n"
    "RuntimeError: Request failed with status code 400: Traceback (most recent call last):\n"
    "  File \"job_agent.py\", line 61, in submit_job\n"
    "ValueError: Job with submission_id a already exists. Please use a different "
    "submission_id.\n.\n.";

} // namespace

class RayAnswersTest : public QObject {
    Q_OBJECT

  private slots:
    void states_data()
    {
        QTest::addColumn<QString>("state");
        QTest::addColumn<QString>("message");
        QTest::addColumn<int>("phase");
        QTest::addColumn<QString>("reason");
        QTest::addColumn<QString>("end");
        const auto row = [](const char* name, const char* state, const char* message, JobPhase phase,
                            const char* reason, const char* end) {
            QTest::newRow(name) << state << message << static_cast<int>(phase) << reason << end;
        };
        row("pending", "PENDING", "Job has not started yet.", JobPhase::pending, "Job has not started yet.",
            "");
        row("running", "RUNNING", "Job is currently running.", JobPhase::running, "Job is currently running.",
            "");
        row("succeeded", "SUCCEEDED", "", JobPhase::ended, "", "");
        row("stopped", "STOPPED", "", JobPhase::ended, "", "stopped outside Lockstep (STOPPED)");
        row("failed", "FAILED",
            "Job entrypoint command failed with exit code 3, last available logs (truncated to 20,000 chars):\n"
            "one\nStatus for job 'lockstep-20261127-1': RUNNING",
            JobPhase::ended, "Job entrypoint command failed with exit code 3",
            "Job entrypoint command failed with exit code 3");
        row("no log", "FAILED", "Job entrypoint command failed with exit code 1. No logs available.",
            JobPhase::ended, "Job entrypoint command failed with exit code 1. No logs available.",
            "Job entrypoint command failed with exit code 1. No logs available.");
        row("environment", "FAILED",
            "runtime_env setup failed: Failed to set up runtime environment.\nCould not create the actor.\n"
            "Traceback (most recent call last):\n  File \"pip.py\", line 1\nRuntimeError: Failed to install pip "
            "packages.\n",
            JobPhase::ended,
            "runtime_env setup failed: Failed to set up runtime environment.: Failed to install pip packages.",
            "runtime_env setup failed: Failed to set up runtime environment.: Failed to install pip packages.");
        row("no start", "FAILED",
            "Traceback (most recent call last):\n  File \"a.py\"\nOSError: no such file\n", JobPhase::ended,
            "no such file", "no such file");
    }
    void states()
    {
        QFETCH(QString, state);
        QFETCH(QString, message);
        QFETCH(int, phase);
        QFETCH(QString, reason);
        QFETCH(QString, end);
        const std::string output = statusOutput(state.toStdString(), message.toStdString());
        const auto answer = rayAnswerFrom(output, kJob);
        QVERIFY(answer.has_value());
        QCOMPARE(QString::fromStdString(answer->state), state);
        QCOMPARE(static_cast<int>(answer->phase), phase);
        QCOMPARE(QString::fromStdString(answer->reason), reason);
        if (answer->phase == JobPhase::ended)
            QCOMPARE(QString::fromStdString(rayEndText(*answer, false)), end);
        QVERIFY(!rayAnswerFrom(output, "another").has_value());
    }

    void plainLinesAndColors()
    {
        const auto answer =
            rayAnswerFrom("\x1b[36mJob submission server address\x1b[39m: \x1b[1mhttp://h\x1b[22m\n"
                          "Status for job 'a': \x1b[1mPENDING\x1b[22m\n"
                          "Status message: Job has not started yet. It may be waiting for resources "
                          "(CPUs, GPUs, memory, custom resources) to become available.\n",
                          "a");
        QVERIFY(answer.has_value());
        QCOMPARE(answer->state, "PENDING");
        QCOMPARE(rayPendingText(*answer),
                 "It may be waiting for resources (CPUs, GPUs, memory, custom resources) to "
                 "become available.");
        const auto ended = rayAnswerFrom("\n-----\nJob 'a' succeeded\n-----\n\n", "a");
        QVERIFY(ended && ended->state == "SUCCEEDED" && ended->exitStatus == 0);
    }

    void unknownStates()
    {
        QVERIFY(!rayAnswerFrom("", kJob));
        QVERIFY(!rayAnswerFrom(kServer, kJob));
        QVERIFY(!rayAnswerFrom(statusOutput("RETRYING", "x"), kJob));
    }

    void exitCodes()
    {
        const auto coded = [](const std::string& code) {
            return *rayAnswerFrom(statusOutput("FAILED", "Job entrypoint command failed with exit code " +
                                                             code +
                                                             ", last available "
                                                             "logs:\nx"),
                                  kJob);
        };
        QCOMPARE(coded("137").exitStatus, std::optional(137));
        QCOMPARE(coded("-9").signal, std::optional(9));
        QVERIFY(!coded("-9").exitStatus);
        QVERIFY(!coded("99999999999").exitStatus);
        const auto quoted = rayAnswerFrom(
            statusOutput("FAILED", "Job failed.\nJob entrypoint command failed with exit code 4"), kJob);
        QVERIFY(quoted && !quoted->exitStatus); // only the first line is from Ray
    }

    void messagesAreSafeAndShort()
    {
        const auto answer =
            rayAnswerFrom(statusOutput("FAILED", "a\x1b]0;title\x07" + std::string(2000, 'x')), kJob);
        QVERIFY(answer.has_value());
        QVERIFY(answer->reason.find('\x1b') == std::string::npos);
        QVERIFY(answer->reason.size() < 520);
    }

    void failures_data()
    {
        QTest::addColumn<QString>("errors");
        QTest::addColumn<int>("failure");
        QTest::addColumn<QString>("text");
        const auto row = [](const char* name, const std::string& errors, RayFailure failure,
                            const char* text) {
            QTest::newRow(name) << QString::fromStdString(errors) << static_cast<int>(failure) << text;
        };
        row("unknown job",
            traceback("RuntimeError: Request failed with status code 404: Job a does not exist."),
            RayFailure::unknownJob, "Request failed with status code 404: Job a does not exist.");
        row("server away",
            traceback(
                "requests.exceptions.ConnectionError: HTTPConnectionPool(host='h', port=8265): Max retries "
                "exceeded (Caused by NewConnectionError('[Errno 111] Connection refused'))\n\nDuring handling "
                "of the above exception, another exception occurred:\n") +
                traceback("ConnectionError: Failed to connect to Ray at address: http://h:8265."),
            RayFailure::notReached, "Failed to connect to Ray at address: http://h:8265.");
        row("no cluster",
            traceback(
                "ConnectionError: Could not find any running Ray instance. Please specify the one to connect to "
                "by setting `--address` flag or `RAY_ADDRESS` environment variable."),
            RayFailure::notReached,
            "Could not find any running Ray instance. Please specify the one to connect to by setting `--address` "
            "flag or `RAY_ADDRESS` environment variable.");
        row("duplicate", traceback(kExists), RayFailure::duplicate,
            "Job with submission_id a already exists. Please use a different submission_id.");
        row("no agent",
            traceback(
                "RuntimeError: Request failed with status code 500: No available agent to submit job, please "
                "try again later.."),
            RayFailure::refused,
            "Request failed with status code 500: No available agent to submit job, please try again later.");
        row("broken",
            traceback(
                "requests.exceptions.ConnectionError: ('Connection aborted.', RemoteDisconnected('Remote end "
                "closed connection without response'))"),
            RayFailure::unsure,
            "('Connection aborted.', RemoteDisconnected('Remote end closed connection without response'))");
        row("proxy",
            traceback("RuntimeError: Request failed with status code 502: <html>\n<h1>Bad</h1>\n</html>\n."),
            RayFailure::unsure, "Request failed with status code 502: <html>");
        row("option",
            "Usage: ray job submit [OPTIONS] ENTRYPOINT...\nTry 'ray job submit --help' for help.\n\nError: No such "
            "option: --x\n",
            RayFailure::refused, "No such option: --x");
        row("minimal",
            traceback(
                "RuntimeError: The Ray jobs CLI & SDK require the ray[default] installation: `pip install "
                "'ray[default]'`"),
            RayFailure::refused,
            "The Ray jobs CLI & SDK require the ray[default] installation: `pip install 'ray[default]'`");
        row("shell", "ray: line 2: python: command not found\n", RayFailure::refused,
            "ray: line 2: python: command not found");
        row("nothing", "", RayFailure::refused, "");
    }
    void failures()
    {
        QFETCH(QString, errors);
        QFETCH(int, failure);
        QFETCH(QString, text);
        QCOMPARE(static_cast<int>(rayFailureFrom(errors.toStdString())), failure);
        QCOMPARE(QString::fromStdString(rayErrorText(kServer, errors.toStdString())), text);
    }

    void submissions()
    {
        QVERIFY(isRayJobSubmitted(kServer + big("SUCC", "Job 'a' submitted successfully"), "a"));
        QVERIFY(!isRayJobSubmitted(kServer + big("SUCC", "Job 'b' submitted successfully"), "a"));
        QVERIFY(!isRayJobSubmitted(kServer, "a"));
    }

    void commands()
    {
        using Words = std::vector<std::string>;
        const Words submit{"ray",        "job",   "submit",          "--no-wait", "--address=http://h:8265",
                           "--verify",   "false", "--working-dir=x", "--",        "bash",
                           "--address=y"};
        QCOMPARE(rayCommand(submit, "status"), (Words{"ray", "job", "status", "--log-style=record",
                                                      "--address=http://h:8265", "--verify", "false"}));
        QCOMPARE(rayCommand({"ray", "job", "submit", "--", "a"}, "stop"),
                 (Words{"ray", "job", "stop", "--log-style=record"}));
    }

    void logsWithoutRaysOwnLines_data()
    {
        QTest::addColumn<QByteArray>("log");
        QTest::newRow("lines") << QByteArray("one\ntwo\n");
        QTest::newRow("no final line end") << QByteArray("one\ntwo 50%");
        QTest::newRow("nothing") << QByteArray();
        QTest::newRow("records of another job") << QByteArray::fromStdString(
            record("INFO", "Status for job 'b': RUNNING") + big("SUCC", "Job 'b' succeeded") + "on\n");
        QTest::newRow("records of the driver")
            << QByteArray("2026-11-27 10:00:00,123\tINFO worker.py:1514 -- Using address 10.0.0.1:6379\n");
        QTest::newRow("its own state") << QByteArray::fromStdString(
            record("INFO", "Status for job '" + kJob + "': RUNNING") + "and more\n");
        QTest::newRow("almost a record") << QByteArray("cli.py:36 -- \nx cli.py:1 -- Job\n cli.py:");
    }
    void logsWithoutRaysOwnLines()
    {
        QFETCH(QByteArray, log);
        const std::string text = kServer + log.toStdString();
        for (const char* state : {"SUCCEEDED", "STOPPED", "FAILED", "RUNNING"}) {
            const std::string end = statusOutput(state, "message\nof lines").substr(kServer.size());
            const std::string all = text + end;
            const auto begin = rayLogBegin(all);
            QCOMPARE(begin, std::optional(kServer.size()));
            const std::string rest = all.substr(*begin);
            QCOMPARE(QByteArray::fromStdString(rest.substr(0, rayLogEnd(rest, kJob))), log);
        }
    }

    // Python writes a record, then its line end. Meanwhile neither is taken for the job's output.
    void incompleteRecords()
    {
        const std::string log = "one\ntwo";
        for (const char* state : {"SUCCEEDED", "FAILED", "STOPPED", "RUNNING"}) {
            const std::string all = log + statusOutput(state, "m").substr(kServer.size());
            for (size_t at = all.find('\n', log.size()); at != all.npos; at = all.find('\n', at + 1)) {
                QCOMPARE(rayLogEnd(all.substr(0, at), kJob), log.size());
                QCOMPARE(rayLogEnd(all.substr(0, at + 1), kJob), log.size());
            }
        }
        QCOMPARE(rayLogEnd("a\n", kJob), size_t(2));
        QVERIFY(!rayLogBegin("2026-11-27 10:00:00,123\tINFO cli.py:36 -- Job subm"));
        QCOMPARE(rayLogBegin("Job submission server address: x\n"), std::optional(size_t(33)));
        QCOMPARE(rayLogBegin("something else\n"), std::optional(size_t(0)));
    }
};

LOCKSTEP_TEST(RayAnswersTest, "ray_answers_test")
#include "ray_answers_test.moc"
