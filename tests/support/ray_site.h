// SPDX-License-Identifier: Apache-2.0
// RaySite is a program `ray` that runs jobs on this machine without a cluster, see ray_stand_in.py. Its
// folder has bin/ray, which comes first in PATH, and state/, where a test controls faults. Its destructor
// ends all jobs.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::test {

class RaySite {
  public:
    explicit RaySite(std::filesystem::path folder);
    RaySite(const RaySite&) = delete;
    RaySite& operator=(const RaySite&) = delete;
    ~RaySite();

    std::filesystem::path bin() const { return m_folder / "bin"; }
    // Returns a PATH with bin() first.
    std::string path() const { return bin().string() + ":/usr/local/bin:/usr/bin:/bin"; }
    // Files of the stand-in: "refuse", "hang_submit", "slow_status", "away", "hold", "lose", "cut_logs",
    // "slow_logs".
    void set(std::string_view name, std::string_view text = {}) const;
    void unset(std::string_view name) const;
    // Submission ids, sorted.
    std::vector<std::string> jobs() const;
    // Returns the state of a job in the word of Ray: "RUNNING"; "" if there is none.
    std::string state(const std::string& job) const;
    // Returns a file from the folder of a job: "log", "info.json".
    std::string file(const std::string& job, const std::string& name) const;
    // Returns the executed commands as JSON arrays, one per line.
    std::string calls() const;

  private:
    std::filesystem::path stateFolder() const { return m_folder / "state"; }

    std::filesystem::path m_folder;
};

} // namespace lockstep::test
