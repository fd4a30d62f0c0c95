// SPDX-License-Identifier: Apache-2.0
// Maps folders inside of the session's container to folders of the host, from the options that start the
// container. Pure. Thread: any.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/session/session_config.h"

namespace lockstep {

struct ContainerPlaces {
    std::string program; // such as docker; "Pyxis" for srun; "" = the command does not run in a container
    // Folder of the host, and the folder inside where it is mounted.
    std::vector<std::pair<std::string, std::string>> mounts;
    // False if the container is started elsewhere (docker exec), so that its mounts are not known.
    bool areMountsKnown = true;

    // Returns the host's path for an absolute path inside, which may contain patterns; nullopt if no known
    // mount contains it, and without a container.
    std::optional<std::string> onHost(std::string_view inside) const;
};

// Sources: the manuals of docker-run, podman-run and apptainer-exec, and the options of Slurm's plugin Pyxis
// (--container-image, --container-mounts). Apptainer mounts the home folder, /tmp, /var/tmp and the working
// folder unless --contain, --containall or --no-mount is given.
ContainerPlaces containerPlaces(const SessionConfig& config);

} // namespace lockstep
