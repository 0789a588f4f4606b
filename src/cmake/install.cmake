# SPDX-License-Identifier: Apache-2.0
# What is installed: headers, both libraries, the CMake package, the pkg-config file, the tool's
# manual page and its completion. (The tool itself is installed where it is built, in cli/.)
include(CMakePackageConfigHelpers)

set(nvfp4_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/nvfp4moe)
get_target_property(nvfp4_type nvfp4moe TYPE)

foreach(library nvfp4moe nvfp4moe_core)
  target_include_directories(${library} INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
endforeach()
install(TARGETS nvfp4moe nvfp4moe_core EXPORT nvfp4moeTargets
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/nvfp4moe
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")

# ---- find_package(nvfp4moe) ----
install(EXPORT nvfp4moeTargets NAMESPACE nvfp4moe:: DESTINATION ${nvfp4_package_dir})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/nvfp4moeConfig.cmake.in
  ${CMAKE_CURRENT_BINARY_DIR}/nvfp4moeConfig.cmake
  INSTALL_DESTINATION ${nvfp4_package_dir}
  NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/nvfp4moeConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  ${CMAKE_CURRENT_BINARY_DIR}/nvfp4moeConfig.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/nvfp4moeConfigVersion.cmake
  DESTINATION ${nvfp4_package_dir})

# ---- pkg-config ----
# Where the folders are relative, the file finds itself, so that the tree may be moved; an absolute
# folder is written down as it is.
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
  set(nvfp4_pc_prefix ${CMAKE_INSTALL_PREFIX})
  set(nvfp4_pc_libdir ${CMAKE_INSTALL_LIBDIR})
else()
  file(RELATIVE_PATH nvfp4_up "/p/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/p")
  string(REGEX REPLACE "/$" "" nvfp4_up "${nvfp4_up}")
  set(nvfp4_pc_prefix "\${pcfiledir}/${nvfp4_up}")
  set(nvfp4_pc_libdir "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
endif()
if(IS_ABSOLUTE "${CMAKE_INSTALL_INCLUDEDIR}")
  set(nvfp4_pc_includedir ${CMAKE_INSTALL_INCLUDEDIR})
else()
  set(nvfp4_pc_includedir "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
endif()

# What the library itself needs: for everyone who links it where it is an archive, else only for who
# asks with --static.
set(nvfp4_pc_system "")
foreach(library ${CMAKE_DL_LIBS})
  string(APPEND nvfp4_pc_system " -l${library}")
endforeach()
if(CMAKE_THREAD_LIBS_INIT)
  string(APPEND nvfp4_pc_system " ${CMAKE_THREAD_LIBS_INIT}")
endif()
if(NVFP4MOE_LIBM)
  string(APPEND nvfp4_pc_system " -lm")
endif()
set(nvfp4_pc_yaml "")
if(NVFP4MOE_WITH_YAML)
  set(nvfp4_pc_yaml " yaml-0.1")
endif()
if(nvfp4_type STREQUAL "STATIC_LIBRARY")
  set(nvfp4_pc_libs "${nvfp4_pc_system}")
  set(nvfp4_pc_requires "${nvfp4_pc_yaml}")
else()
  set(nvfp4_pc_libs_private "${nvfp4_pc_system}")
  set(nvfp4_pc_requires_private "${nvfp4_pc_yaml}")
  if(WIN32)
    set(nvfp4_pc_cflags " -DNVFP4MOE_SHARED")
  endif()
endif()
configure_file(${CMAKE_CURRENT_LIST_DIR}/nvfp4moe.pc.in ${CMAKE_CURRENT_BINARY_DIR}/nvfp4moe.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/nvfp4moe.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# ---- for the tool ----
if(TARGET nvfp4-select)
  # It finds a shared library beside itself, wherever the tree is put.
  if(nvfp4_type STREQUAL "SHARED_LIBRARY" AND NOT WIN32 AND NOT IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}"
     AND NOT IS_ABSOLUTE "${CMAKE_INSTALL_BINDIR}" AND NOT DEFINED CMAKE_INSTALL_RPATH)
    file(RELATIVE_PATH nvfp4_to_lib "/p/${CMAKE_INSTALL_BINDIR}" "/p/${CMAKE_INSTALL_LIBDIR}")
    if(APPLE)
      set(nvfp4_origin "@loader_path")
    else()
      set(nvfp4_origin "$ORIGIN")
    endif()
    set_target_properties(nvfp4-select PROPERTIES INSTALL_RPATH "${nvfp4_origin}/${nvfp4_to_lib}")
  endif()
  set(nvfp4_cli ${PROJECT_SOURCE_DIR}/src/cli)
  install(FILES ${nvfp4_cli}/man/nvfp4-select.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES ${nvfp4_cli}/man/nvfp4-machine.5 ${nvfp4_cli}/man/nvfp4-request.5
    DESTINATION ${CMAKE_INSTALL_MANDIR}/man5)
  install(FILES ${nvfp4_cli}/completion/nvfp4-select.bash RENAME nvfp4-select
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${nvfp4_cli}/completion/_nvfp4-select
    DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install(FILES ${nvfp4_cli}/completion/nvfp4-select.fish
    DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()
