# SPDX-License-Identifier: Apache-2.0
# Run by cpack on the trees that become packages. Compresses the files that Debian requires compressed, and strips binaries
# without a package of debug symbols.
file(GLOB_RECURSE TEXTS "${CPACK_TEMPORARY_DIRECTORY}/*.1" "${CPACK_TEMPORARY_DIRECTORY}/*.7" "${CPACK_TEMPORARY_DIRECTORY}/changelog")
foreach(TEXT ${TEXTS})
    execute_process(COMMAND gzip -9n ${TEXT} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
file(GLOB_RECURSE STRIPPED "${CPACK_TEMPORARY_DIRECTORY}/lockstep-agent")
list(FILTER STRIPPED INCLUDE REGEX "/bin/lockstep-agent$")
file(GLOB_RECURSE LIBRARIES "${CPACK_TEMPORARY_DIRECTORY}/liblockstep_capture.so")
if(NOT STRIPPED OR NOT LIBRARIES)
    message(FATAL_ERROR "the agent or the capture library is not in ${CPACK_TEMPORARY_DIRECTORY}")
endif()
execute_process(COMMAND strip --strip-unneeded ${STRIPPED} ${LIBRARIES} COMMAND_ERROR_IS_FATAL ANY)
