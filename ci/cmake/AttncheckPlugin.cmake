# What a project of somebody else's calls, after find_package(attncheck).
#
# attncheck_add_plugin(NAME SOURCES a.cpp ... [DEPS target ...])
#   NAME.so, for `attncheck check --plugin NAME.so`. One of the sources has ATTNCHECK_PLUGIN
#   (plugin/plugin.h). Nothing but that symbol is exported, so that what two plug-ins call by the same
#   name stays apart; a symbol that nobody has is an error here, and not when it is called.
#
# attncheck_add_executable(NAME SOURCES a.cpp ... [DEPS target ...])
#   The program itself around a manifest of one's own: one of the sources defines
#   attncheck::manifest (plugin/manifest.h). Needs find_package(attncheck COMPONENTS main).

function(attncheck_add_plugin name)
  cmake_parse_arguments(arg "" "" "SOURCES;DEPS" ${ARGN})
  add_library(${name} MODULE ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE attncheck::plugin ${arg_DEPS})
  set_target_properties(${name} PROPERTIES PREFIX "")
  target_link_options(${name} PRIVATE LINKER:--no-undefined
    LINKER:--version-script=${CMAKE_CURRENT_FUNCTION_LIST_DIR}/plugin.map)
endfunction()

function(attncheck_add_executable name)
  cmake_parse_arguments(arg "" "" "SOURCES;DEPS" ${ARGN})
  if(NOT TARGET attncheck::main)
    message(FATAL_ERROR "attncheck_add_executable(${name}) needs attncheck::main: "
      "find_package(attncheck REQUIRED COMPONENTS main)")
  endif()
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE attncheck::main ${arg_DEPS})
endfunction()
