// SPDX-License-Identifier: Apache-2.0
// ScriptedRun is a run over scripted hosts, as a GUI test watches it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/remote/run.h"
#include "core/session/typed_value.h"
#include "tests/support/scripted_remote.h"
#include "tests/support/temp_dir.h"

namespace lockstep::test {

class ScriptedRun {
  public:
    // Creates hosts node0, node1 ...; from now on, the state folder is a temporary one.
    explicit ScriptedRun(int hosts)
    {
        qputenv("LOCKSTEP_STATE_HOME", QByteArray::fromStdString((m_folder.path() / "state").string()));
        m_config.name = "grpo";
        m_config.framework = *enumFromWord<Framework>("verl");
        m_config.launcher.kind = LauncherKind::ssh;
        m_config.command = {"python3", "-m", "verl.trainer.main_ppo"};
        m_config.tool = Tool::nsys;
        m_config.steps = {4, 5};
        m_config.totalSteps = 20;
        m_config.discrete = true;
        m_config.role(Role::actor).enable = true;
        m_config.role(Role::actor).ranks = {0, 8};
        for (int i = 0; i < hosts; ++i) {
            const std::string name = "node" + std::to_string(i);
            m_config.hosts.push_back({name, name, 8, {}, ""});
            m_remotes.push_back(std::make_shared<ScriptedRemote>(name, m_folder.path() / name));
        }
    }
    // Signals of the run may still be pending.
    ~ScriptedRun()
    {
        if (m_run) m_run->detach();
    }

    SessionConfig& config() { return m_config; }
    ScriptedRemote& host(size_t index) { return *m_remotes[index]; }
    RunOptions options()
    {
        RunOptions options;
        options.agent = {"agent", std::string(64, '0')};
        options.makeRemote = [remotes =
                                  m_remotes](const std::string& address) -> std::shared_ptr<const Remote> {
            return remotes[std::stoul(address.substr(4))];
        };
        return options;
    }
    // Returns a run that has not begun, or an error message if it cannot be created.
    std::string create()
    {
        const auto plan = planLaunch(m_config, {});
        if (!plan) return plan.error().message;
        auto run = Run::create(m_config, *plan, {}, options());
        if (!run) return run.error().message;
        m_run = std::move(*run);
        return {};
    }
    Run& run() { return *m_run; }
    std::filesystem::path write(const std::filesystem::path& name, std::string_view bytes)
    {
        return m_folder.write(name, bytes);
    }
    const std::filesystem::path& folder() const { return m_folder.path(); }

    static std::string use(int gpu_percent, int64_t diskFree_bytes, int cpu_percent = 38)
    {
        return "\"cpu_percent\":" + std::to_string(cpu_percent) +
               R"(,"memory_used_bytes":210000000000,"memory_total_bytes":540000000000,)"
               R"("received_bytes_per_s":3400000,"sent_bytes_per_s":910000,"disk_free_bytes":)" +
               std::to_string(diskFree_bytes) + R"(,"gpus":[{"index":0,"busy_percent":)" +
               std::to_string(gpu_percent) + R"(,"used_bytes":65712000000,"total_bytes":85899345920}])";
    }
    static std::string report(const std::string& path, int64_t size_bytes, bool isComplete)
    {
        return "\"path\":\"" + path + "\",\"size_bytes\":" + std::to_string(size_bytes) +
               ",\"type\":\"nsys report\",\"complete\":" + (isComplete ? "true" : "false") +
               R"(,"reason":"","old":false)";
    }

  private:
    TempDir m_folder;
    SessionConfig m_config;
    std::vector<std::shared_ptr<ScriptedRemote>> m_remotes;
    std::unique_ptr<Run> m_run;
};

} // namespace lockstep::test
