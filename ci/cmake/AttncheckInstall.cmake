# cmake --install: the program with its libraries, and a package for find_package(attncheck).
#
# Exported is what a plug-in may use: the words of a case, the contracts and the building blocks,
# properties, the simulated mesh, and the reference to compare with. The rest is there for programs:
# the component `main`, without headers.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(attncheck_exported problem reference impl sim properties plugin)
set(attncheck_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/attncheck)

foreach(name ${attncheck_exported})
  install(TARGETS attncheck_${name} EXPORT attncheckTargets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/${name}
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/attncheck FILES_MATCHING PATTERN "*.h")
endforeach()
install(TARGETS attncheck RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS attncheck_main attncheck_bench attncheck_contracts attncheck_cudnn_probe attncheck_drive
                attncheck_gloo_cpu attncheck_harness attncheck_html attncheck_mutants attncheck_scale attncheck_timed_rank attncheck_timeline
                attncheck_timing
  EXPORT attncheckMainTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(ATTNCHECK_NCCL)
  install(TARGETS attncheck_nccl_gpu LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()

foreach(set attncheckTargets attncheckMainTargets)
  install(EXPORT ${set} NAMESPACE attncheck:: DESTINATION ${attncheck_package_dir})
endforeach()
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/attncheckConfig.cmake.in
  ${PROJECT_BINARY_DIR}/attncheckConfig.cmake INSTALL_DESTINATION ${attncheck_package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/attncheckConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/attncheckConfig.cmake
  ${PROJECT_BINARY_DIR}/attncheckConfigVersion.cmake
  ${CMAKE_CURRENT_LIST_DIR}/AttncheckLibTorch.cmake
  ${CMAKE_CURRENT_LIST_DIR}/AttncheckPlugin.cmake
  ${CMAKE_CURRENT_LIST_DIR}/plugin.map
  DESTINATION ${attncheck_package_dir})
