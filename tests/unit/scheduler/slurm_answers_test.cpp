// SPDX-License-Identifier: Apache-2.0
// Tests Slurm's output as Slurm 22.05 printed it, and additions by sites and broken output.
#include "core/scheduler/job_answer.h"
#include "core/scheduler/sbatch_options.h"
#include "core/scheduler/slurm_answers.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

using Words = std::vector<std::string>;

std::string pending(const std::string& reason, const std::string& start)
{
    return "JobId=2 JobName=j.sh UserId=root(0) GroupId=root(0) MCS_label=N/A Priority=0 Nice=0 Account=(null) "
           "QOS=(null) JobState=PENDING Reason=" +
           reason +
           " Dependency=(null) Requeue=1 Restarts=0 BatchFlag=1 Reboot=0 ExitCode=0:0 RunTime=00:00:00 "
           "TimeLimit=UNLIMITED TimeMin=N/A SubmitTime=1795689765 EligibleTime=Unknown AccrueTime=Unknown "
           "StartTime=" +
           start +
           " EndTime=Unknown Deadline=N/A NodeList= NumNodes=1 Command=/tmp/a b/j.sh WorkDir=/tmp/a b "
           "StdErr=/tmp/a b/slurm-2.out StdIn=/dev/null StdOut=/tmp/a b/slurm-2.out Power= \n";
}

std::string ended(const std::string& state, const std::string& exit)
{
    return "JobId=13 JobName=to.sh JobState=" + state + " Reason=JobHeldUser Restarts=0 ExitCode=" + exit +
           " TimeLimit=00:01:00 StartTime=1795689843 NodeList=node0 StdOut=/tmp/o Power= \n";
}

JobAnswer answerOf(const std::string& text)
{
    const auto answer = slurmAnswerFromScontrol(text);
    return answer ? *answer : JobAnswer();
}

} // namespace

class SlurmAnswersTest : public QObject {
    Q_OBJECT

  private slots:
    void requeuesAreCounted()
    {
        const auto withRestarts = [](const std::string& count) {
            std::string text = pending("BeginTime", "1795689843");
            return text.replace(text.find("Restarts=0"), 10, "Restarts=" + count);
        };
        QCOMPARE(answerOf(withRestarts("2")).restarts, std::optional(2));
        QCOMPARE(answerOf(withRestarts("99999999999")).restarts, std::optional(kMaxRestarts));
        QCOMPARE(answerOf(withRestarts("x")).restarts, std::optional<int>());
        JobStatus status;
        status.job = "12";
        status.phase = JobPhase::pending;
        QCOMPARE(jobSentence(status), std::string("Slurm job 12 is pending"));
        status.restarts = 1;
        QCOMPARE(jobSentence(status), std::string("Slurm job 12 is pending; requeued once"));
        status.restarts = 2;
        QCOMPARE(jobSentence(status), std::string("Slurm job 12 is pending; requeued 2 times"));
        QCOMPARE(jobStatusFromJson(jsonFromJobStatus(status)), status);
        status.phase = JobPhase::running;
        QCOMPARE(jobSentence(status), std::string("Slurm job 12 is running"));
    }

    void jobIdIsOnALineOfItsOwn()
    {
        QCOMPARE(slurmJobIdFrom("12\n"), std::optional(SlurmJobId{"12", ""}));
        QCOMPARE(slurmJobIdFrom("Welcome to site X\nproject: 42 hours left\n12;alpha\n"),
                 std::optional(SlurmJobId{"12", "alpha"}));
        for (const char* text : {"", "Submitted batch job 12\n", "12\n13\n", "12;al pha\n", "12a\n", "-1\n"})
            QVERIFY2(!slurmJobIdFrom(text), text);
    }

    void failuresAreDistinguished()
    {
        QCOMPARE(slurmFailureFrom("slurm_load_jobs error: Invalid job id specified\n"),
                 SlurmFailure::unknownJob);
        QCOMPARE(
            slurmFailureFrom("slurm_load_jobs error: Unable to contact slurm controller (connect failure)\n"),
            SlurmFailure::noAnswer);
        QCOMPARE(slurmFailureFrom("sbatch: error: Batch job submission failed: Socket timed out on send/recv "
                                  "operation\n"),
                 SlurmFailure::noAnswer);
        QCOMPARE(slurmFailureFrom("sbatch: error: invalid partition specified: none\n"),
                 SlurmFailure::refused);
        QCOMPARE(
            slurmErrorText(
                "Checking the account ...\nsbatch: error: invalid partition specified: none\nsbatch: error: Batch\n"),
            std::string("invalid partition specified: none"));
    }

    void pendingJobs()
    {
        const JobAnswer held = answerOf(pending("JobHeldUser", "Unknown"));
        QCOMPARE(held.phase, JobPhase::pending);
        QCOMPARE(held.reason, std::string("JobHeldUser"));
        QVERIFY(!held.expectedStart_s && held.nodeLists.empty());
        QCOMPARE(held.outputFile, std::string("/tmp/a b/slurm-2.out"));
        QCOMPARE(answerOf(pending("Resources", "1795689865")).expectedStart_s,
                 std::optional<int64_t>(1'795'689'865));
        QCOMPARE(slurmPendingText("2", "JobHeldUser"),
                 std::string("held by its owner (JobHeldUser); run scontrol release 2 to release it"));
        QCOMPARE(slurmPendingText("2", "QOSMaxJobsPerUserLimit"),
                 std::string("a limit of its QOS is reached (QOSMaxJobsPerUserLimit)"));
        QCOMPARE(slurmPendingText("2", "PartitionDown"),
                 std::string("its partition is down (PartitionDown)"));
        QCOMPARE(slurmPendingText("2", "NewReason\x1b[1m"), std::string("NewReason"));
    }

    void componentsOfAHeterogeneousJob()
    {
        const JobAnswer answer = answerOf(
            "JobId=9 HetJobId=9 HetJobOffset=0 JobName=a JobState=RUNNING Reason=None NodeList=n[0-1] \n"
            "JobId=10 HetJobId=9 HetJobOffset=1 JobName=a JobState=RUNNING Reason=None NodeList=g7 \n");
        QCOMPARE(answer.phase, JobPhase::running);
        QCOMPARE(answer.nodeLists, (std::vector<std::pair<int, std::string>>{{0, "n[0-1]"}, {1, "g7"}}));
    }

    void endMessagesBeginWithTheCause()
    {
        const auto text = [](const char* state, const char* exit, bool isStopped = false) {
            return slurmEndText(answerOf(ended(state, exit)), isStopped);
        };
        QCOMPARE(text("COMPLETED", "0:0"), std::string());
        QCOMPARE(text("TIMEOUT", "0:0"), std::string("time limit of 1 minute reached (TIMEOUT)"));
        QCOMPARE(text("CANCELLED", "0:15"), std::string("canceled outside Lockstep (CANCELLED)"));
        QCOMPARE(text("CANCELLED", "0:15", true), std::string("canceled as requested"));
        QVERIFY(text("OUT_OF_MEMORY", "0:125").starts_with("it used more memory than it requested"));
        QCOMPARE(text("NODE_FAIL", "1:0"), std::string("one of its nodes failed (NODE_FAIL)"));
        QVERIFY(text("FAILED", "137:0").starts_with("exit status 137: ended by SIGKILL"));
        QCOMPARE(text("FAILED", "0:9"), std::string("its script was ended by signal 9 (FAILED)"));
        QCOMPARE(slurmLengthText("2-04:00:00"), std::string("2 days 4 hours"));
        QCOMPARE(slurmLengthText("UNLIMITED"), std::string("UNLIMITED"));
    }

    void accountingKnowsEndedJobs()
    {
        const auto answer = slurmAnswerFromSacct("CANCELLED by 1000|0:15\n");
        QCOMPARE(answer->state, std::string("CANCELLED"));
        QCOMPARE(answer->phase, JobPhase::ended);
        QCOMPARE(answer->signal, std::optional(15));
        QVERIFY(!slurmAnswerFromSacct("\n"));
    }

    void jobsAreFoundByTheirScript()
    {
        const std::string list = "4|/w/RUN.sbatch\n12|/w/RUN.sbatch x\n13|/w/RUN.sbatch2\n9+0|/w/H.sbatch\n";
        QCOMPARE(slurmJobOfScript(list, "/w/RUN.sbatch"), std::optional(std::string("12")));
        QCOMPARE(slurmJobOfScript(list, "/w/H.sbatch"), std::optional(std::string("9")));
        QVERIFY(!slurmJobOfScript(list, "/w/other.sbatch"));
    }

    void nodesMustBeValidNames()
    {
        QCOMPARE(slurmNodesFrom("n1\nn-2.lab\n../x\n.\n-w\na b\n$(id)\n" + std::string(300, 'n') + "\n"),
                 (Words{"n1", "n-2.lab"}));
    }

    void optionsAreRefusedOrOmitted_data()
    {
        QTest::addColumn<QString>("word");
        QTest::addColumn<QString>("left"); // "!" = refused
        const auto row = [](const char* word, const char* left) { QTest::newRow(word) << word << left; };
        for (const char* refused :
             {"--array=1-4", "--array", "--arr=1", "-a1-2", "-a", "--test-only", "--wrap=x"})
            row(refused, "!");
        for (const char* out : {"--wait", "-W", "--parsable", "--quiet", "-Q", "--requeue"})
            row(out, "");
        for (const char* kept : {"--account=a", "--wait-all-nodes=1", "--partition=gpu", "-pgpu", "-N2",
                                 "-Aabc", "--export=NONE", "-H"})
            row(kept, kept);
        row("-HW", "-H");
    }
    void optionsAreRefusedOrOmitted()
    {
        QFETCH(QString, word);
        QFETCH(QString, left);
        const auto options = watchableOptions(Words{word.toStdString()}, "launcher.slurm_options");
        QCOMPARE(options.has_value(), left != "!");
        if (!options) {
            QVERIFY(options.error().message.starts_with("launcher.slurm_options: "));
            return;
        }
        QCOMPARE(options->words, left.isEmpty() ? Words() : Words{left.toStdString()});
        QCOMPARE(options->notes.size(), size_t(left == word ? 0 : 1));
    }

    void directivesMatchSbatch()
    {
        const auto script =
            sbatchScriptFrom("#!/bin/bash -l\n# about\n#SBATCH --nodes=2 --wait # four words\n\n"
                             "#SBATCH --comment=\"a b\" --export=NONE\n#SBATCH hetjob\n"
                             "#SBATCH -N1\nmodule load x\n#SBATCH --array=1-4\n",
                             "train.sbatch");
        QVERIFY(script.has_value());
        QCOMPARE(script->directives, (Words{"#SBATCH --nodes=2", "#SBATCH \"--comment=a b\" --export=NONE",
                                            "#SBATCH hetjob", "#SBATCH -N1"}));
        QCOMPARE(script->components, 2);
        QCOMPARE(script->exported, std::string("NONE"));
        QCOMPARE(script->notes,
                 (Words{"train.sbatch line 3: --wait was ignored: Lockstep itself waits for the job"}));
        const auto array = sbatchScriptFrom("#!/bin/sh\n#SBATCH -a 1-4\n", "train.sbatch");
        QVERIFY(!array && array.error().message.starts_with("train.sbatch line 2: -a cannot be used"));
        QVERIFY(!sbatchScriptFrom("echo x\n", "train.sbatch"));
    }
};

LOCKSTEP_TEST(SlurmAnswersTest, "slurm_answers_test")
#include "slurm_answers_test.moc"
