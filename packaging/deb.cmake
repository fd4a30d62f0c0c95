# SPDX-License-Identifier: Apache-2.0
# Settings of cpack for the Debian packages of the install components lockstep, agent and capture. Used by packaging/deb.sh.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME lockstep)
set(CPACK_PACKAGE_VENDOR "The Lockstep maintainers")
set(CPACK_PACKAGE_CONTACT "Lockstep maintainers <maintainers@lockstep.invalid>" CACHE STRING "Maintainer of the packages")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_COMPONENTS_ALL lockstep agent capture)
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
foreach(COMPONENT lockstep agent capture)
    string(TOUPPER ${COMPONENT} UPPER)
    set(CPACK_COMPONENT_${UPPER}_GROUP ${COMPONENT})
endforeach()
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
    WORLD_READ WORLD_EXECUTE)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/deb_tree.cmake)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)

set(CPACK_DEBIAN_LOCKSTEP_PACKAGE_NAME lockstep)
set(CPACK_DEBIAN_LOCKSTEP_PACKAGE_DEPENDS "lockstep-agent (= ${PROJECT_VERSION}), liblockstep-capture (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_LOCKSTEP_PACKAGE_RECOMMENDS "fonts-inter, fonts-dejavu-core, openssh-client, curl")
set(CPACK_DEBIAN_LOCKSTEP_DEBUGINFO_PACKAGE ON)
set(CPACK_COMPONENT_LOCKSTEP_DESCRIPTION "profiles of distributed GPU training on one time axis
Opens the reports of many ranks, nodes and steps of one training run and
shows them on one time axis, in a window or as tables and pictures without
a display. Reads Nsight Systems exports, PyTorch and Perfetto traces, memory
snapshots and its own captures.")
set(CPACK_DEBIAN_AGENT_PACKAGE_NAME lockstep-agent)
set(CPACK_DEBIAN_AGENT_PACKAGE_SHLIBDEPS OFF) # one static file
set(CPACK_COMPONENT_AGENT_DESCRIPTION "program of Lockstep that runs on the nodes of a run
A static program that starts the commands of a run on a node, monitors them,
and collects their reports. Lockstep copies it to each host over SSH, so it
does not have to be installed there.")
set(CPACK_DEBIAN_CAPTURE_PACKAGE_NAME liblockstep-capture)
set(CPACK_DEBIAN_CAPTURE_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_CAPTURE_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_LIST_DIR}/debian/triggers)
set(CPACK_COMPONENT_CAPTURE_DESCRIPTION "library that records training processes for Lockstep
CUDA and NVTX load this library into training processes through their
injection variables. It records their activity to files that Lockstep can
open while they grow.")

# Documents that Debian requires in each package. The license texts of the libraries in the static agent are those of Debian.
set(DOCS ${CMAKE_CURRENT_BINARY_DIR}/deb_docs)
set(STATIC_LIBRARIES libsqlite3-dev libyaml-cpp-dev libre2-dev libzstd-dev libdeflate-dev nettle-dev zlib1g-dev libc6-dev libstdc++-12-dev)
file(READ ${CMAKE_CURRENT_LIST_DIR}/debian/copyright OWN_TERMS)
foreach(PAIR lockstep:lockstep agent:lockstep-agent capture:liblockstep-capture)
    string(REPLACE ":" ";" PAIR ${PAIR})
    list(GET PAIR 0 COMPONENT)
    list(GET PAIR 1 PACKAGE)
    set(TERMS "${OWN_TERMS}")
    if(NOT COMPONENT STREQUAL "lockstep")
        foreach(LIBRARY ${STATIC_LIBRARIES})
            if(COMPONENT STREQUAL "capture" AND NOT LIBRARY MATCHES "zstd|stdc")
                continue()
            endif()
            if(EXISTS /usr/share/doc/${LIBRARY}/copyright)
                file(READ /usr/share/doc/${LIBRARY}/copyright LIBRARY_TERMS)
                string(APPEND TERMS "\n\n==== Inside this package's binary: ${LIBRARY} ====\n\n${LIBRARY_TERMS}")
            else()
                message(WARNING "No license text of ${LIBRARY} on this machine; the package ${PACKAGE} will lack it")
            endif()
        endforeach()
    endif()
    file(WRITE ${DOCS}/${PACKAGE}/copyright "${TERMS}")
    install(FILES ${DOCS}/${PACKAGE}/copyright debian/changelog DESTINATION share/doc/${PACKAGE}
        COMPONENT ${COMPONENT} EXCLUDE_FROM_ALL)
    if(EXISTS ${CMAKE_CURRENT_LIST_DIR}/debian/${PACKAGE}.lintian)
        install(FILES debian/${PACKAGE}.lintian RENAME ${PACKAGE} DESTINATION share/lintian/overrides
            COMPONENT ${COMPONENT} EXCLUDE_FROM_ALL)
    endif()
endforeach()
include(CPack)
