// SPDX-License-Identifier: Apache-2.0
#include "capture/inject/settings.h"

#include <algorithm>
#include <cstdlib>

#include <unistd.h>

#include "capture/inject/descriptors.h"

namespace lockstep::capture {

namespace {

constexpr size_t kLongestConfig_bytes = 1u << 20;
constexpr int64_t kLongestList = 1 << 20;

std::string_view trimmed(std::string_view text)
{
    constexpr std::string_view kBlank = " \t\r\n";
    const size_t begin = text.find_first_not_of(kBlank);
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

bool readWhole(std::string_view text, int64_t& number)
{
    text = trimmed(text);
    const bool isNegative = text.starts_with('-');
    if (isNegative) text.remove_prefix(1);
    if (text.empty() || text.size() > 18) return false;
    int64_t value = 0;
    for (const char digit : text) {
        if (digit < '0' || digit > '9') return false;
        value = value * 10 + (digit - '0');
    }
    number = isNegative ? -value : value;
    return true;
}

// SettingSource reads settings from the environment and the settings file.
class SettingSource {
  public:
    explicit SettingSource(std::string& problems) : m_problems(problems)
    {
        const char* const path = std::getenv("LOCKSTEP_CONFIG");
        if (path == nullptr || *path == '\0') return;
        const std::string text = readFile(path, kLongestConfig_bytes);
        m_file = flatJson(text);
        if (m_file.empty()) problem("LOCKSTEP_CONFIG", "does not name a readable file with a JSON object");
    }

    std::optional<std::string> text(const std::string& name) const
    {
        for (const char* const prefix : {"LOCKSTEP_CAPTURE_", "LOCKSTEP_"}) {
            const char* const value = std::getenv((prefix + name).c_str());
            if (value != nullptr && *value != '\0') return value;
        }
        std::string key = name;
        std::ranges::transform(key, key.begin(),
                               [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
        for (const std::string& keyVariant : {key, "capture_" + key}) {
            if (const auto found = m_file.find(keyVariant); found != m_file.end() && !found->second.empty())
                return found->second;
        }
        return {};
    }
    void read(const std::string& name, std::string& target) const
    {
        if (auto value = text(name)) target = std::move(*value);
    }
    void read(const std::string& name, bool& target)
    {
        const auto value = text(name);
        if (!value) return;
        if (*value == "1" || *value == "true" || *value == "yes" || *value == "on" || *value == "True") {
            target = true;
        } else if (*value == "0" || *value == "false" || *value == "no" || *value == "off" ||
                   *value == "False") {
            target = false;
        } else {
            problem(name, "must be 0 or 1");
        }
    }
    void read(const std::string& name, int64_t& target, int64_t least, int64_t most)
    {
        const auto value = text(name);
        if (!value) return;
        int64_t number = 0;
        if (readWhole(*value, number) && number >= least && number <= most)
            target = number;
        else
            problem(name, "must be a number from " + std::to_string(least) + " to " + std::to_string(most));
    }
    void read(const std::string& name, std::vector<int64_t>& target)
    {
        const auto value = text(name);
        if (value && !readNumbers(*value, target)) problem(name, "must be a list of numbers: 1,2,5-7");
    }
    void problem(const std::string& name, const std::string& what)
    {
        m_problems += (m_problems.empty() ? "" : "; ") + name + " " + what;
    }

  private:
    std::string& m_problems;
    std::map<std::string, std::string> m_file;
};

// Returns the setting `own`, otherwise the first launcher variable that contains a nonnegative number. Other
// values are reported as problems.
std::optional<int> launcherNumber(SettingSource& source, const std::string& own,
                                  std::initializer_list<const char*> launchers)
{
    const auto numberIn = [&source](const std::string& name, const std::string& value) -> std::optional<int> {
        int64_t number = 0;
        if (readWhole(value, number) && number >= 0 && number <= INT32_MAX) return static_cast<int>(number);
        source.problem(name + "=" + value.substr(0, 40),
                       "is not used: it must be a whole number, 0 or greater");
        return {};
    };
    if (const auto value = source.text(own)) {
        if (const auto number = numberIn("LOCKSTEP_" + own, *value)) return number;
    }
    for (const char* const name : launchers) {
        const char* const value = std::getenv(name);
        if (value == nullptr || *value == '\0') continue;
        if (const auto number = numberIn(name, value)) return number;
    }
    return {};
}

// The variables are in the nesting order of launchers. The launcher that started the process itself precedes
// the batch system around it, because all processes of one mpirun may share the variables of the batch
// system.
void readRanks(SettingSource& source, CaptureSettings& settings)
{
    settings.rank = launcherNumber(
        source, "RANK",
        {"RANK", "OMPI_COMM_WORLD_RANK", "MV2_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"});
    settings.localRank = launcherNumber(source, "LOCAL_RANK",
                                        {"LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_RANK",
                                         "MV2_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID"});
    settings.worldSize = launcherNumber(
        source, "WORLD_SIZE",
        {"WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "MV2_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS"});
    GateSettings& gate = settings.gate;
    const auto ranks = source.text("RANKS");
    const bool isAll = ranks && (*ranks == "all" || *ranks == "ALL" || *ranks == "All");
    if (!isAll) source.read("RANKS", gate.ranks);
    // By default, every rank is recorded if the library is loaded without a session.
    gate.isAllRanks = isAll || (gate.ranks.empty() && !source.text("ALL_RANKS"));
    if (!isAll) source.read("ALL_RANKS", gate.isAllRanks);
}

// Returns an absolute path. Relative paths are relative to the folder that was current when the library was
// first loaded, because a program may change its folder, and a forked child must write to the same folder as
// its parent.
std::string absoluteFromStart(const std::string& path)
{
    static char start[4096];
    if (start[0] == '\0' && getcwd(start, sizeof start) == nullptr) start[0] = '\0';
    if (path.starts_with('/') || start[0] != '/') return path;
    return path == "." ? start : start + ("/" + path);
}

// cudaProfilerApi | nvtx:NAME[@DOMAIN] | all
void readRange(SettingSource& source, GateSettings& gate)
{
    const auto range = source.text("RANGE");
    gate.stepsAre = StepsAre::names;
    if (range && *range == "cudaProfilerApi") {
        gate.range = RangeKind::profilerApi;
        gate.stepsAre = StepsAre::ordinals;
    } else if (range && range->starts_with("nvtx:") && range->size() > 5) {
        gate.range = RangeKind::nvtx;
        gate.stepsAre = StepsAre::ordinals;
        const size_t at = range->rfind('@');
        gate.name = range->substr(5, at == std::string::npos ? at : at - 5);
        if (at != std::string::npos) gate.domain = range->substr(at + 1);
        if (gate.name.ends_with('*')) gate.stepsAre = StepsAre::names;
    } else if (range && *range != "all") {
        source.problem("RANGE", "must be cudaProfilerApi, nvtx:NAME[@DOMAIN] or all; everything is recorded");
    }
    const auto stepsAre = source.text("STEPS_ARE");
    if (!stepsAre) return;
    if (*stepsAre == "ordinals")
        gate.stepsAre = StepsAre::ordinals;
    else if (*stepsAre == "names")
        gate.stepsAre = StepsAre::names;
    else if (*stepsAre == "listed")
        gate.stepsAre = StepsAre::listed;
    else
        source.problem("STEPS_ARE", "must be ordinals, names or listed");
}

std::vector<std::string> words(std::string_view text)
{
    std::vector<std::string> found;
    while (!text.empty()) {
        const size_t comma = std::min(text.find(','), text.size());
        if (const auto word = trimmed(text.substr(0, comma)); !word.empty()) found.emplace_back(word);
        text.remove_prefix(std::min(comma + 1, text.size()));
    }
    return found;
}

void readCost(SettingSource& source, CaptureSettings& settings)
{
    int64_t number = static_cast<int64_t>(settings.memory_bytes);
    source.read("MEMORY", number, 1 << 20, int64_t(64) << 30);
    settings.memory_bytes = static_cast<uint64_t>(number);
    number = static_cast<int64_t>(settings.block_bytes);
    source.read("BLOCK_BYTES", number, 4096, 8 << 20);
    settings.block_bytes = static_cast<uint64_t>(number);
    number = settings.blockAge_ns / 1'000'000;
    source.read("BLOCK_AGE_MS", number, 10, 60'000);
    settings.blockAge_ns = number * 1'000'000;
    number = settings.longestBlock_ns / 1'000'000;
    source.read("LONGEST_BLOCK_MS", number, 1, 10'000);
    settings.longestBlock_ns = number * 1'000'000;
    if (const auto whenFull = source.text("WHEN_FULL")) {
        if (*whenFull != "drop" && *whenFull != "block") source.problem("WHEN_FULL", "must be drop or block");
        settings.blocksWhenFull = *whenFull == "block";
    }
}

bool canHold(const std::string& path)
{
    const size_t slash = path.rfind('/');
    const std::string folder = slash == std::string::npos ? "." : path.substr(0, std::max<size_t>(slash, 1));
    return access(folder.c_str(), W_OK | X_OK) == 0;
}

} // namespace

bool readNumbers(std::string_view text, std::vector<int64_t>& numbers)
{
    text = trimmed(text);
    if (text.starts_with('[') && text.ends_with(']')) text = text.substr(1, text.size() - 2);
    std::vector<int64_t> found;
    for (const std::string& word : words(text)) {
        const size_t dash = word.find('-', 1);
        int64_t first = 0, last = 0;
        if (!readWhole(word.substr(0, dash), first)) return false;
        last = first;
        if (dash != std::string::npos && !readWhole(word.substr(dash + 1), last)) return false;
        if (last < first || last - first > kLongestList - static_cast<int64_t>(found.size())) return false;
        for (int64_t number = first; number <= last; ++number)
            found.push_back(number);
    }
    std::ranges::sort(found);
    found.erase(std::unique(found.begin(), found.end()), found.end());
    numbers = std::move(found);
    return true;
}

CaptureSettings readSettings()
{
    CaptureSettings settings;
    SettingSource source(settings.problems);
    source.read("ENABLE", settings.isEnabled);
    source.read("OUTPUT", settings.output);
    settings.output = absoluteFromStart(settings.output);
    source.read("LOG", settings.log);
    if (!settings.log.empty()) settings.log = absoluteFromStart(settings.log);
    // Through Ray's runtime_env, a launcher on one node may have passed its own path to processes on other
    // nodes, where the path does not exist.
    if (!settings.log.empty() && !canHold(settings.log)) settings.log.clear();
    if (settings.log.empty()) settings.log = settings.output + "/lockstep_capture.log";
    source.read("RUN", settings.run);
    source.read("HOST", settings.host);
    readRanks(source, settings);
    readRange(source, settings.gate);
    source.read("STEPS", settings.gate.steps);
    source.read("DISCRETE", settings.gate.isDiscrete);
    source.read("CONTINUOUS", settings.gate.isContinuous);
    source.read("ROLE", settings.gate.role);
    readCost(source, settings);
    source.read("CUDA", settings.recordsCuda);
    source.read("CUPTI", settings.cupti);
    if (const auto trace = source.text("GRAPH_TRACE")) {
        if (*trace != "node" && *trace != "graph") source.problem("GRAPH_TRACE", "must be node or graph");
        settings.tracesWholeGraphs = *trace == "graph";
    }
    source.read("CHILDREN", settings.recordsChildren);
    source.read("EARLY_EXIT", settings.savesOnEarlyExit);
    if (const auto names = source.text("ENVIRONMENT")) settings.environment = words(*names);
    return settings;
}

namespace {

class FlatJson {
  public:
    explicit FlatJson(std::string_view text) : m_text(text) {}

    bool read(std::map<std::string, std::string>& fields)
    {
        if (!take('{')) return false;
        if (take('}')) return true;
        do {
            std::string key, value;
            if (!quoted(key) || !take(':') || !any(value)) return false;
            fields[key] = value;
        } while (take(','));
        return take('}');
    }

  private:
    static constexpr int kDeepest = 8;

    void skipBlanks()
    {
        while (m_at < m_text.size() &&
               std::string_view(" \t\r\n").find(m_text[m_at]) != std::string_view::npos)
            ++m_at;
    }
    bool take(char expected)
    {
        skipBlanks();
        if (m_at >= m_text.size() || m_text[m_at] != expected) return false;
        ++m_at;
        return true;
    }
    // Supports \u escapes for ASCII only, because settings are names and paths.
    bool quoted(std::string& out)
    {
        if (!take('"')) return false;
        for (; m_at < m_text.size(); ++m_at) {
            char c = m_text[m_at];
            if (c == '"') return ++m_at, true;
            if (c == '\\') {
                if (++m_at >= m_text.size()) return false;
                c = m_text[m_at];
                if (c == 'n')
                    c = '\n';
                else if (c == 't')
                    c = '\t';
                else if (c == 'u') {
                    if (m_at + 4 >= m_text.size()) return false;
                    c = static_cast<char>(
                        std::strtol(std::string(m_text.substr(m_at + 1, 4)).c_str(), nullptr, 16));
                    m_at += 4;
                }
            }
            out += c;
        }
        return false;
    }
    // Flattens nested lists. Lists nested more than kDeepest levels are rejected, so that the recursion does
    // not overflow the stack of the program.
    bool any(std::string& out, int depth = 0)
    {
        skipBlanks();
        if (m_at >= m_text.size() || depth > kDeepest) return false;
        if (m_text[m_at] == '"') return quoted(out);
        if (take('[')) {
            if (take(']')) return true;
            do {
                if (!out.empty()) out += ',';
                if (m_at < m_text.size() && !any(out, depth + 1)) return false;
            } while (take(','));
            return take(']');
        }
        const size_t end = m_text.find_first_of(",}] \t\r\n", m_at);
        if (end == std::string_view::npos || end == m_at || m_text[m_at] == '{') return false;
        const std::string_view word = m_text.substr(m_at, end - m_at);
        m_at = end;
        if (word == "null") return true;
        out += word;
        return true;
    }

    std::string_view m_text;
    size_t m_at = 0;
};

} // namespace

std::map<std::string, std::string> flatJson(std::string_view text)
{
    std::map<std::string, std::string> fields;
    if (!FlatJson(text).read(fields)) fields.clear();
    return fields;
}

} // namespace lockstep::capture
