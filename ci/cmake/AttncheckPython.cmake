# What python/ is built from: a Python of the version that LibTorch's own module was built for, with
# its development files, and libtorch_python. Sets attncheck_python_absent to the reason where something is
# missing, or to nothing, and makes attncheck::libtorch_python.
#
# The pybind11 is LibTorch's: its types and ours must be of one make.

set(ATTNCHECK_PYTHON AUTO CACHE STRING "The Python front: AUTO (where it can be built), ON or OFF")

set(attncheck_python_absent "")
find_library(attncheck_torch_python torch_python HINTS ${attncheck_torch_lib} NO_DEFAULT_PATH NO_CACHE)
file(GLOB attncheck_torch_module ${attncheck_torch_root}/_C.cpython-*.so)
if(attncheck_torch_module MATCHES "_C\\.cpython-([0-9])([0-9]+)-")
  set(attncheck_python_version ${CMAKE_MATCH_1}.${CMAKE_MATCH_2})
endif()

if(NOT ATTNCHECK_PYTHON)
  set(attncheck_python_absent "configured with ATTNCHECK_PYTHON=OFF")
elseif(ATTNCHECK_SANITIZE)
  set(attncheck_python_absent "a Python that is not sanitized cannot load what is")
elseif(NOT attncheck_torch_python OR NOT attncheck_python_version)
  set(attncheck_python_absent "${attncheck_torch_root} is a LibTorch without its Python module")
else()
  find_package(Python ${attncheck_python_version} EXACT QUIET COMPONENTS Interpreter Development.Module)
  if(NOT Python_FOUND)
    set(attncheck_python_absent
      "no development files of Python ${attncheck_python_version}, which LibTorch's module is for, were found")
  endif()
endif()

if(attncheck_python_absent)
  if(ATTNCHECK_PYTHON STREQUAL ON)
    message(FATAL_ERROR "ATTNCHECK_PYTHON=ON: ${attncheck_python_absent}")
  endif()
  message(NOTICE "The Python front is not built: ${attncheck_python_absent}")
else()
  add_library(attncheck_libtorch_python INTERFACE)
  add_library(attncheck::libtorch_python ALIAS attncheck_libtorch_python)
  target_link_libraries(attncheck_libtorch_python INTERFACE attncheck::libtorch ${attncheck_torch_python})
  message(STATUS "Python front: Python ${Python_VERSION}, ${Python_EXECUTABLE}")
endif()
