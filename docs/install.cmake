# What `cmake --install` and `make package` give: programs, the library for other programs, kernels,
# manual pages and completions.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS ptoas ptovm ptodbg RUNTIME COMPONENT programs)
install(TARGETS pto LIBRARY COMPONENT programs NAMELINK_COMPONENT development)
install(FILES ${PROJECT_SOURCE_DIR}/vm/api/pto.h TYPE INCLUDE)
install(FILES ${PROJECT_BINARY_DIR}/lib/libpto.a TYPE LIB)
# The programs look for these folders beside their own, see isa/tool/installed.h.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/kernels DESTINATION ${CMAKE_INSTALL_DATADIR}/pto)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/schema DESTINATION ${CMAKE_INSTALL_DATADIR}/pto)
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/LICENSE
              ${PROJECT_SOURCE_DIR}/CHANGELOG.md TYPE DOC)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/examples TYPE DOC)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/vm/python/pto DESTINATION lib/python3/dist-packages
        FILES_MATCHING PATTERN "*.py")

# ---- for those who build against it ----------------------------------------------------------

set(pto_private_libraries "-lm -lpthread")
set(pto_private_names "m;Threads::Threads")
if(ZIP_INCLUDE AND ZIP_LIBRARY)
    string(APPEND pto_private_libraries " -lzip")
    list(APPEND pto_private_names zip)
endif()
set(config ${CMAKE_INSTALL_LIBDIR}/cmake/pto)
configure_file(${PROJECT_SOURCE_DIR}/docs/man/pto.pc.in pto.pc @ONLY)
configure_package_config_file(${PROJECT_SOURCE_DIR}/docs/man/ptoConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/ptoConfig.cmake INSTALL_DESTINATION ${config}
                              PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR
                                        CMAKE_INSTALL_DATADIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/ptoConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/pto.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES ${PROJECT_BINARY_DIR}/ptoConfig.cmake ${PROJECT_BINARY_DIR}/ptoConfigVersion.cmake
        DESTINATION ${config})

# ---- manual pages and completions: from options.def, --help and docs/ --------------------------

find_package(Python3 COMPONENTS Interpreter)
if(Python3_FOUND)
    set(manuals ${PROJECT_BINARY_DIR}/manuals)
    file(GLOB manual_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/*.md
         ${PROJECT_SOURCE_DIR}/docs/man/*.py)
    add_custom_command(
        OUTPUT ${manuals}/made
        COMMAND ${CMAKE_COMMAND} -E rm -rf ${manuals}
        COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/docs/man/make.py
                $<TARGET_FILE_DIR:ptovm> ${manuals} ${PROJECT_VERSION}
        COMMAND ${CMAKE_COMMAND} -E touch ${manuals}/made
        DEPENDS ${manual_sources} ptoas ptovm ptodbg ${PROJECT_SOURCE_DIR}/CHANGELOG.md
                ${PROJECT_SOURCE_DIR}/assembler/cli/options.def
                ${PROJECT_SOURCE_DIR}/vm/cli/options.def
                ${PROJECT_SOURCE_DIR}/docs/schema/report.schema.json
        VERBATIM)
    add_custom_target(manuals ALL DEPENDS ${manuals}/made)
    install(DIRECTORY ${manuals}/man1 ${manuals}/man5 DESTINATION ${CMAKE_INSTALL_MANDIR})
    install(DIRECTORY ${manuals}/bash/
            DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
    install(DIRECTORY ${manuals}/zsh/ DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
    install(DIRECTORY ${manuals}/fish/
            DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)

    set(editors ${PROJECT_BINARY_DIR}/editors)
    file(GLOB editor_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/editors/*.py
         ${PROJECT_SOURCE_DIR}/docs/editors/vscode/*)
    add_custom_command(
        OUTPUT ${editors}/made
        COMMAND ${CMAKE_COMMAND} -E rm -rf ${editors}
        COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/docs/editors/make.py
                $<TARGET_FILE:ptoas> ${editors} ${PROJECT_VERSION}
        COMMAND ${CMAKE_COMMAND} -E touch ${editors}/made
        DEPENDS ${editor_sources} ptoas
        VERBATIM)
    add_custom_target(editors ALL DEPENDS ${editors}/made)
    install(DIRECTORY ${editors}/vscode DESTINATION ${CMAKE_INSTALL_DATADIR}/pto)
    install(DIRECTORY ${editors}/vim/ DESTINATION ${CMAKE_INSTALL_DATADIR}/vim/vimfiles)
else()
    message(STATUS "no Python: manual pages and completions are left out")
endif()

# ---- the manual for a browser: cmake --build build --target site -------------------------------

find_program(PTO_PANDOC pandoc)
if(Python3_FOUND AND PTO_PANDOC)
    add_custom_target(site
        COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/docs/site/make.py ${PTO_PANDOC}
                ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/site ${PROJECT_VERSION}
        VERBATIM)
else()
    add_custom_target(site
        COMMAND ${CMAKE_COMMAND} -E echo
                "The site is made by pandoc and Python 3: install both and run cmake again."
        COMMAND ${CMAKE_COMMAND} -E false
        VERBATIM)
endif()
install(DIRECTORY ${PROJECT_BINARY_DIR}/site/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/html OPTIONAL)

# ---- packages ----------------------------------------------------------------------------------

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME pto)
set(CPACK_PACKAGE_CONTACT "the authors of the PTO virtual machine <pto@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "virtual machine, assembler and debugger for tile kernels")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# Opened when they are needed, so that no program misses them where there are none.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libzip4, zlib1g")
# The library of Open MPI is loaded for several processes only, which its mpirun starts.
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "openmpi-bin")
include(CPack)
