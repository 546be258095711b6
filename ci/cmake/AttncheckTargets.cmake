# The three kinds of target that this project has. Warnings and sanitizers are set by target.

function(attncheck_compile_options target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wno-unused-parameter)
  if(ATTNCHECK_SANITIZE)
    target_compile_options(${target} PRIVATE
      -fsanitize=${ATTNCHECK_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=undefined)
    target_link_options(${target} PRIVATE -fsanitize=${ATTNCHECK_SANITIZE})
  endif()
endfunction()

# Most of the time that a file takes to compile goes into LibTorch's headers. UNITY compiles the files of
# a target several at a time, where their unnamed namespaces have no two names alike: a second one is an
# error of the compiler. -DATTNCHECK_UNITY=OFF compiles each alone, which is better while one edits.
option(ATTNCHECK_UNITY "Compile several files at a time where a target allows it" ON)
function(attncheck_unity target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${ATTNCHECK_UNITY}
                                             UNITY_BUILD_BATCH_SIZE 8)
endfunction()

# attncheck_add_library(NAME SOURCES a.cpp ... DEPS target ... [UNITY]): one folder, one shared library,
# libattncheck_NAME.so, known as attncheck::NAME. Headers are included from the project's root.
function(attncheck_add_library name)
  cmake_parse_arguments(arg "UNITY" "" "SOURCES;DEPS" ${ARGN})
  add_library(attncheck_${name} SHARED ${arg_SOURCES})
  add_library(attncheck::${name} ALIAS attncheck_${name})
  target_include_directories(attncheck_${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<INSTALL_INTERFACE:include/attncheck>)
  target_link_libraries(attncheck_${name} PUBLIC ${arg_DEPS})
  target_compile_features(attncheck_${name} PUBLIC cxx_std_20)
  set_target_properties(attncheck_${name} PROPERTIES EXPORT_NAME ${name} INSTALL_RPATH "$ORIGIN")
  attncheck_compile_options(attncheck_${name})
  if(arg_UNITY)
    attncheck_unity(attncheck_${name})
  endif()
endfunction()

# attncheck_add_program(NAME SOURCES a.cpp ... DEPS target ... [UNITY])
function(attncheck_add_program name)
  cmake_parse_arguments(arg "UNITY" "" "SOURCES;DEPS" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_DEPS})
  set_target_properties(${name} PROPERTIES
    INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
  attncheck_compile_options(${name})
  if(arg_UNITY)
    attncheck_unity(${name})
  endif()
endfunction()

# attncheck_add_test(NAME SOURCES a_test.cpp ... DEPS target ... [LABEL l] [TIMEOUT s] [UNITY]): a
# GoogleTest program of which every test is one ctest test, labelled with the folder it tests. Under
# a sanitizer everything is slower, and TIMEOUT counts five times.
function(attncheck_add_test name)
  cmake_parse_arguments(arg "UNITY" "LABEL;TIMEOUT" "SOURCES;DEPS" ${ARGN})
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  if(NOT arg_LABEL)
    set(arg_LABEL unit)
  endif()
  if(ATTNCHECK_SANITIZE)
    math(EXPR arg_TIMEOUT "5 * ${arg_TIMEOUT}")
  endif()
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_DEPS} GTest::gtest GTest::gtest_main)
  attncheck_compile_options(${name})
  target_compile_options(${name} PRIVATE -O0)  # tests run code of ours that is optimised
  if(arg_UNITY)
    attncheck_unity(${name})
  endif()
  foreach(source ${arg_SOURCES})
    file(REAL_PATH ${source} path BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
    set_property(GLOBAL APPEND PROPERTY ATTNCHECK_TEST_SOURCES ${path})
  endforeach()
  include(GoogleTest)
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60
    PROPERTIES LABELS ${arg_LABEL} TIMEOUT ${arg_TIMEOUT})
endfunction()

# A test file that no target names would silently never run: refuse to configure.
function(attncheck_require_named_tests folder)
  file(GLOB_RECURSE found CONFIGURE_DEPENDS ${folder}/*_test.cpp)
  get_property(named GLOBAL PROPERTY ATTNCHECK_TEST_SOURCES)
  foreach(source ${found})
    file(REAL_PATH ${source} path)
    if(NOT path IN_LIST named)
      message(FATAL_ERROR "no target names ${source}: add it to an attncheck_add_test")
    endif()
  endforeach()
endfunction()
