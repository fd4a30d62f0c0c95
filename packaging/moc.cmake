# SPDX-License-Identifier: Apache-2.0
# lockstep_moc(TARGETS...): runs Qt's moc for the sources of targets, without their include folders. With them, moc reads
# every header that a source includes, which takes 95 % of its time, although it only needs the classes in the source itself.
function(lockstep_moc)
    set_target_properties(${ARGN} PROPERTIES AUTOMOC ON)
    if(TARGET Qt6::moc)
        foreach(BUILD _RELEASE _RELWITHDEBINFO _NONE "")
            if(NOT LOCKSTEP_MOC)
                get_target_property(LOCKSTEP_MOC Qt6::moc IMPORTED_LOCATION${BUILD})
            endif()
        endforeach()
        configure_file(${CMAKE_SOURCE_DIR}/packaging/moc.sh.in ${CMAKE_BINARY_DIR}/moc.sh @ONLY
            FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
        set_target_properties(${ARGN} PROPERTIES AUTOMOC_EXECUTABLE ${CMAKE_BINARY_DIR}/moc.sh)
    endif()
endfunction()
