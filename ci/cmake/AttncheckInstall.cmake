# cmake --install: the program with its libraries, and a package for find_package(attncheck).
#
# Exported is what a plug-in may use: the words of a case, the contracts and the building blocks,
# the simulated mesh, and the reference to compare with. The rest is there for the program alone.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(attncheck_exported problem reference impl sim)
set(attncheck_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/attncheck)

foreach(name ${attncheck_exported})
  install(TARGETS attncheck_${name} EXPORT attncheckTargets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/${name}
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/attncheck FILES_MATCHING PATTERN "*.h")
endforeach()
install(TARGETS attncheck attncheck_gloo_cpu attncheck_cudnn_probe attncheck_properties attncheck_harness
                attncheck_mutants
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(ATTNCHECK_NCCL)
  install(TARGETS attncheck_nccl_gpu LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()

install(EXPORT attncheckTargets NAMESPACE attncheck:: DESTINATION ${attncheck_package_dir})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/attncheckConfig.cmake.in
  ${PROJECT_BINARY_DIR}/attncheckConfig.cmake INSTALL_DESTINATION ${attncheck_package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/attncheckConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/attncheckConfig.cmake
  ${PROJECT_BINARY_DIR}/attncheckConfigVersion.cmake
  ${CMAKE_CURRENT_LIST_DIR}/AttncheckLibTorch.cmake
  DESTINATION ${attncheck_package_dir})
