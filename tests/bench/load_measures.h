// SPDX-License-Identifier: Apache-2.0
// What benchmarks of loading measure: times, the peak memory of a child process, and the bare walk over JSON
// values to which loading is compared.
#pragma once

#include <chrono>
#include <cstdint>
#include <fstream>
#include <string>

#include <sys/wait.h>
#include <unistd.h>

#include <simdjson.h>

namespace lockstep::test {

inline double secondsSince(std::chrono::steady_clock::time_point start)
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Adds up the lengths of all values, so that the compiler cannot skip any.
inline size_t visit(simdjson::ondemand::value value)
{
    simdjson::ondemand::json_type type;
    if (value.type().get(type) != simdjson::SUCCESS) return 0;
    size_t sum = 0;
    if (type == simdjson::ondemand::json_type::object) {
        for (auto field : value.get_object())
            sum += visit(field.value().value());
    } else if (type == simdjson::ondemand::json_type::array) {
        for (auto element : value.get_array())
            sum += visit(element.value());
    } else {
        sum += value.raw_json_token().size();
    }
    return sum;
}

inline int64_t peakKilobytes()
{
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with("VmHWM:")) return std::stoll(line.substr(6));
    }
    return 0;
}

// Returns the peak resident bytes of a child process that runs only `work`.
template<class Work>
int64_t peakOf(const Work& work)
{
    int pipe[2] = {};
    if (::pipe(pipe) != 0) return 0;
    const pid_t child = ::fork();
    if (child == 0) {
        std::ofstream("/proc/self/clear_refs") << "5"; // resets the peak to the current resident size
        work();
        const int64_t peak = peakKilobytes();
        const ssize_t written = ::write(pipe[1], &peak, sizeof peak);
        _exit(written == sizeof peak ? 0 : 1);
    }
    int64_t peak = 0;
    const ssize_t got = ::read(pipe[0], &peak, sizeof peak);
    ::waitpid(child, nullptr, 0);
    ::close(pipe[0]);
    ::close(pipe[1]);
    return got == sizeof peak ? peak * 1024 : 0;
}

} // namespace lockstep::test
