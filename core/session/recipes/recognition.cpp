// SPDX-License-Identifier: Apache-2.0
// Idea: a wrapper is a program with options and, after them, another command. kWrappers lists which options
// of each wrapper take a value, because that alone decides where the inner command begins. Options are
// skipped one by one until a word is no option; then the search goes on with the inner command. Every step
// moves forward, so the cost is linear in the number of words.
//
// Sources of the options: the manual pages of env(1), nice(1), time(1), timeout(1), sudo(8), srun(1) and
// mpirun(1); `docker run --help`, `docker exec --help`, `apptainer exec --help`, `uv run --help`, `ray job
// submit --help`, `nsys profile --help`, `coverage run --help`; torch/distributed/run.py,
// accelerate/commands/launch.py and deepspeed/launcher/runner.py.
#include "core/session/recipes/recognition.h"

#include <algorithm>
#include <array>

namespace lockstep {

namespace {

struct Wrapper {
    std::string_view program;
    std::string_view verbs;   // words that must follow the program, separated by '|'; "" = none
    std::string_view flags;   // options without a value, separated by spaces
    std::string_view options; // options with a value, separated by spaces; "*" = all that are not flags
    bool endsWithDashes;      // the inner command begins after "--"
    bool hasImage;            // a container image precedes the inner command
    bool startsPython;        // the inner command is a script or a module
};

constexpr std::array kWrappers{
    Wrapper{"env", "", "-i -0 -v - --ignore-environment --null --debug", "-u -C -S --unset --chdir", false,
            false, false},
    Wrapper{"exec", "", "-c -l", "-a", false, false, false},
    Wrapper{"nohup", "", "", "", false, false, false},
    Wrapper{"setsid", "", "-c -f -w --ctty --fork --wait", "", false, false, false},
    Wrapper{"time", "", "-p -v -a --portability --verbose --append", "-o -f --output --format", false, false,
            false},
    Wrapper{"nice", "", "", "-n --adjustment", false, false, false},
    Wrapper{"timeout", "", "--preserve-status --foreground -v --verbose", "-k -s --kill-after --signal",
            false, true, false},
    Wrapper{"stdbuf", "", "", "-i -o -e --input --output --error", false, false, false},
    Wrapper{"numactl", "", "-l --localalloc -s --show",
            "-N -m -i -C -p --cpunodebind --membind --interleave --physcpubind --preferred", false, false,
            false},
    Wrapper{"sudo", "", "-E -H -n -S -b -i -s -k --preserve-env --set-home --non-interactive",
            "-u -g -h -p -C -D --user --group --host --chdir", false, false, false},
    Wrapper{
        "srun", "",
        "-l -K -X -O -Q -v -u -W -s --label --unbuffered --overlap --exclusive --kill-on-bad-exit --no-kill --quiet --verbose --mpi-combine --container-writable --container-readonly --no-container-mount-home --container-mount-home --container-remap-root --no-container-remap-root --no-container-entrypoint --container-entrypoint --propagate --pty --oversubscribe --overcommit --spread-job --immediate --contiguous",
        "*", false, false, false},
    Wrapper{"mpirun", "",
            "--allow-run-as-root --oversubscribe --bind-to-none --display-map --tag-output -q -v", "*", false,
            false, false},
    Wrapper{
        "docker", "run|exec",
        "-d -i -t -it -ti -dit --rm --init --privileged --detach --interactive --tty -P --publish-all --read-only --no-healthcheck --oom-kill-disable --sig-proxy",
        "*", false, true, false},
    Wrapper{
        "podman", "run|exec",
        "-d -i -t -it -ti -dit --rm --init --privileged --detach --interactive --tty -P --publish-all --read-only",
        "*", false, true, false},
    Wrapper{
        "singularity", "exec|run",
        "--nv --rocm --writable --writable-tmpfs -e -c -C -u -p -i --cleanenv --contain --containall --userns --pid --ipc --fakeroot -f --no-home --compat",
        "*", false, true, false},
    Wrapper{
        "apptainer", "exec|run",
        "--nv --rocm --writable --writable-tmpfs -e -c -C -u -p -i --cleanenv --contain --containall --userns --pid --ipc --fakeroot -f --no-home --compat",
        "*", false, true, false},
    Wrapper{
        "uv", "run",
        "--isolated --active --no-sync --frozen --locked --exact --no-dev --dev --only-dev --all-extras --all-groups --no-project --no-default-groups --no-config --offline --no-cache -n --quiet -q --verbose -v --no-progress --no-build --reinstall --refresh -U --upgrade -s --script --no-editable --all-packages --no-env-file --managed-python --no-python-downloads",
        "*", false, false, false},
    Wrapper{"coverage", "run", "-a -p -L --append --branch --parallel-mode --timid --pylib -m --module", "*",
            false, false, true},
    Wrapper{"ray", "job", "--no-wait --verify", "*", true, false, false},
    Wrapper{"nsys", "profile", "-h", "*", false, false, false},
    Wrapper{"torchrun", "", "--standalone --no-python --no_python --run-path --run_path -m --module", "*",
            false, false, true},
    Wrapper{
        "accelerate", "launch",
        "--cpu --multi_gpu --tpu --ipex --use_deepspeed --use_fsdp --use_megatron_lm --use_parallelism_config --use_xpu --same_network --no_python --no-python -m --module -q --quiet --debug --enable_cpu_affinity --tpu_use_cluster --tpu_use_sudo",
        "*", false, false, true},
    Wrapper{
        "deepspeed", "",
        "--no_local_rank --no_python --no_ssh --no_ssh_check --save_pid --force_multi --bind_cores_to_rank --enable_each_rank_log --elastic_training --module --disable_hf_parallelism",
        "*", false, false, true},
};

std::string_view lastComponent(std::string_view path)
{
    return path.substr(path.rfind('/') + 1); // without a slash, npos + 1 is 0
}

bool isListed(std::string_view list, std::string_view word, char separator)
{
    while (!list.empty()) {
        const size_t end = std::min(list.find(separator), list.size());
        if (list.substr(0, end) == word) return true;
        list.remove_prefix(std::min(end + 1, list.size()));
    }
    return false;
}

bool isAssignment(std::string_view word)
{
    const size_t equals = word.find('=');
    if (equals == std::string_view::npos || equals == 0) return false;
    return std::ranges::all_of(word.substr(0, equals), [&](char c) {
        return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' || (c >= '0' && c <= '9');
    });
}

bool isPython(std::string_view word)
{
    std::string_view name = lastComponent(word);
    if (!name.starts_with("python")) return name == "pypy3";
    name.remove_prefix(6);
    return name.find_first_not_of("0123456789.") == std::string_view::npos;
}

class LaunchReader {
  public:
    explicit LaunchReader(std::span<const std::string> command) : m_words(command) {}

    LaunchedProgram read()
    {
        m_made.at = m_words.size();
        while (m_at < m_words.size()) {
            const std::string& word = m_words[m_at];
            if (isAssignment(word)) {
                ++m_at;
                noteStart();
            } else if (isPython(word)) {
                ++m_at;
                m_isAtStart = false;
                if (!readPython()) return m_made;
            } else if (const Wrapper* wrapper = wrapperAt(); wrapper != nullptr) {
                if (!skip(*wrapper)) return m_made;
            } else if (m_afterUv && (word.ends_with(".py") || word == "-m")) {
                readPython();
                return m_made;
            } else {
                set(word.ends_with(".py") ? LaunchWord::script : LaunchWord::program);
                return m_made;
            }
        }
        return m_made;
    }

  private:
    void set(LaunchWord word)
    {
        m_made.word = word;
        m_made.name = m_at < m_words.size() ? m_words[m_at] : std::string();
        m_made.at = std::min(m_at, m_words.size());
    }

    const Wrapper* wrapperAt() const
    {
        const std::string_view name = lastComponent(m_words[m_at]);
        const auto found = std::ranges::find(kWrappers, name, &Wrapper::program);
        if (found == kWrappers.end()) return nullptr;
        if (found->verbs.empty()) return &*found;
        const bool hasVerb = m_at + 1 < m_words.size() && isListed(found->verbs, m_words[m_at + 1], '|');
        return hasVerb ? &*found : nullptr;
    }

    // Skips the options at the current position. Returns false if a module follows, which is then set.
    bool skipOptions(const Wrapper& wrapper)
    {
        while (m_at < m_words.size()) {
            const std::string& word = m_words[m_at];
            if (word == "--") {
                ++m_at;
                return true;
            }
            const bool isModuleOption = word == "-m" || word == "--module";
            if (isModuleOption && (wrapper.startsPython || wrapper.program == "uv")) {
                if (wrapper.program == "uv") return true; // read() continues with -m
                m_isModule = true;
                ++m_at;
            } else if (!word.starts_with('-') || word == "-") {
                return true;
            } else if (word.find('=') != std::string::npos || isListed(wrapper.flags, word, ' ')) {
                ++m_at;
            } else if (isListed(wrapper.options, word, ' ') || takesValue(wrapper, word)) {
                m_at += 2;
            } else {
                ++m_at;
            }
        }
        return true;
    }

    // Wrappers with many options list their flags. Every other option takes a value, unless the value is
    // joined to a letter, as in -N1.
    static bool takesValue(const Wrapper& wrapper, std::string_view word)
    {
        const bool isLong = word.starts_with("--") || wrapper.program == "mpirun"; // mpirun also has -np 8
        return wrapper.options == "*" && (isLong || word.size() == 2);
    }

    // Everything up to the current word only chooses where and how the rest runs.
    void noteStart()
    {
        if (m_isAtStart) m_made.start = m_at;
    }

    // Notes what the wrapper from `begin` to the current word means for a profiler.
    void noteWrapper(const Wrapper& wrapper, size_t begin)
    {
        static constexpr std::array<std::string_view, 6> kIsolating{"docker",    "podman", "singularity",
                                                                    "apptainer", "sudo",   "mpirun"};
        if (wrapper.program == "nsys") m_made.startsNsys = true;
        if (wrapper.program == "uv" || wrapper.program == "nsys" || wrapper.startsPython) m_isAtStart = false;
        if (!m_isAtStart) return;
        m_made.start = std::min(m_at, m_words.size());
        m_made.isRayJob |= wrapper.program == "ray";
        bool isolates = std::ranges::find(kIsolating, wrapper.program) != kIsolating.end();
        if (wrapper.program == "env" || wrapper.program == "srun") {
            for (size_t i = begin; i < m_made.start; ++i) {
                const std::string& word = m_words[i];
                isolates |= word == "-i" || word == "-" || word == "--ignore-environment" ||
                            (word.starts_with("--export") && !word.starts_with("--export=ALL"));
            }
        }
        m_made.losesEnvironment |= isolates || m_made.isRayJob;
    }

    // Returns false if the program is known.
    bool skip(const Wrapper& wrapper)
    {
        const size_t begin = m_at;
        const bool isKnown = skipWrapper(wrapper);
        if (m_isAtStart || wrapper.program == "nsys") noteWrapper(wrapper, begin);
        return isKnown;
    }

    bool skipWrapper(const Wrapper& wrapper)
    {
        m_afterUv = wrapper.program == "uv";
        ++m_at;
        if (!wrapper.verbs.empty()) ++m_at;
        if (wrapper.program == "ray" && m_at < m_words.size()) ++m_at; // submit
        m_isModule = false;
        skipOptions(wrapper);
        if (wrapper.endsWithDashes && (m_at == 0 || m_words[m_at - 1] != "--")) {
            while (m_at < m_words.size() && m_words[m_at] != "--")
                ++m_at;
            ++m_at;
        }
        if (wrapper.hasImage) ++m_at;
        if (!wrapper.startsPython) return true;
        if (wrapper.program != "coverage") m_made.launcher = wrapper.program;
        if (m_at < m_words.size() && isPython(m_words[m_at])) return true; // --no-python python3 ...
        if (m_at < m_words.size() && wrapperAt() != nullptr) return true;
        set(m_isModule ? LaunchWord::module : LaunchWord::script);
        return false;
    }

    // Reads the interpreter's options and what it runs. Returns false if the program is known.
    bool readPython()
    {
        while (m_at < m_words.size()) {
            const std::string& word = m_words[m_at];
            if (word == "-m" || word == "-c") {
                ++m_at;
                if (word == "-c") return set(LaunchWord::program), false;
                return readModule();
            }
            if (!word.starts_with('-') || word == "-") return set(LaunchWord::script), false;
            m_at += word == "-X" || word == "-W" ? 2 : 1;
        }
        return set(LaunchWord::program), false;
    }

    bool readModule()
    {
        set(LaunchWord::module);
        static constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kLaunchers{
            {{"coverage", "coverage"},
             {"torch.distributed.run", "torchrun"},
             {"torch.distributed.launch", "torchrun"},
             {"accelerate.commands.launch", "accelerate"},
             {"deepspeed.launcher.runner", "deepspeed"}}};
        const auto found =
            std::ranges::find(kLaunchers, m_made.name, [](const auto& launcher) { return launcher.first; });
        if (found == kLaunchers.end()) return false;
        Wrapper wrapper = *std::ranges::find(kWrappers, found->second, &Wrapper::program);
        if (found->second != "coverage") wrapper.verbs = {};
        return skip(wrapper);
    }

    std::span<const std::string> m_words;
    size_t m_at = 0;
    bool m_isModule = false;
    bool m_afterUv = false;
    bool m_isAtStart = true; // only wrappers were skipped that a profiler can be placed after
    LaunchedProgram m_made;
};

} // namespace

LaunchedProgram launchedProgram(std::span<const std::string> command)
{
    return LaunchReader(command).read();
}

const LaunchPattern* matchingPattern(const LaunchRecipe& recipe, std::span<const std::string> command,
                                     LaunchEvidence evidence)
{
    const LaunchedProgram program = launchedProgram(command);
    if (program.name.empty()) return nullptr;
    const auto any = [&](const Pattern& pattern) {
        return std::ranges::any_of(command, [&](const std::string& word) { return pattern.matches(word); });
    };
    const auto found = std::ranges::find_if(recipe.patterns, [&](const LaunchPattern& one) {
        const bool counts = evidence == LaunchEvidence::any || !one.isLoose;
        return counts && one.word == program.word && one.pattern.matches(program.name) &&
               std::ranges::all_of(one.has, any) && std::ranges::none_of(one.lacks, any);
    });
    return found == recipe.patterns.end() ? nullptr : &*found;
}

std::optional<RecognizedLaunch> recognizedLaunch(std::span<const LaunchRecipe> recipes,
                                                 std::span<const std::string> command,
                                                 LaunchEvidence evidence)
{
    for (const LaunchRecipe& recipe : recipes) {
        if (const LaunchPattern* pattern = matchingPattern(recipe, command, evidence); pattern != nullptr)
            return RecognizedLaunch{&recipe, pattern->entry};
    }
    return std::nullopt;
}

} // namespace lockstep
