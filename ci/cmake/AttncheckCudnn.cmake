# What the cuDNN probe is built from: cuDNN 9.8 or later with its headers, the CUDA headers that those
# include, and the header-only frontend (ci/setup brings it). Sets attncheck_cudnn_absent to the reason
# where something is missing, or to nothing, and makes attncheck::cudnn_headers.
#
# Nothing is linked: the library is opened at run time, by the paths that are found here.

set(ATTNCHECK_CUDNN AUTO CACHE STRING "The cuDNN probe: AUTO (where it can be built), ON or OFF")
set(ATTNCHECK_CUDNN_FRONTEND_DIR "" CACHE PATH "Folder include/ of the cuDNN frontend")

file(GLOB attncheck_toolkits /usr/local/cuda /usr/local/cuda-*)
set(attncheck_cudnn_hints ${CUDNN_ROOT} $ENV{CUDNN_ROOT} ${CUDAToolkit_ROOT} $ENV{CUDA_HOME}
  $ENV{CUDA_PATH} ${attncheck_toolkits} /usr)

# Not cached: a build folder that is configured anew on another toolkit takes that one.
find_path(attncheck_cudnn_include cudnn_version.h HINTS ${attncheck_cudnn_hints}
  PATH_SUFFIXES include NO_DEFAULT_PATH NO_CACHE)
find_path(attncheck_cuda_include cuda_runtime_api.h HINTS ${attncheck_cudnn_hints}
  PATH_SUFFIXES include NO_DEFAULT_PATH NO_CACHE)
find_file(attncheck_cudnn_library libcudnn.so.9 HINTS ${attncheck_cudnn_hints}
  PATH_SUFFIXES lib64 lib lib/x86_64-linux-gnu NO_DEFAULT_PATH NO_CACHE)
find_file(attncheck_nvrtc_library NAMES libnvrtc.so.13 libnvrtc.so.12 HINTS ${attncheck_cudnn_hints}
  PATH_SUFFIXES lib64 lib NO_DEFAULT_PATH NO_CACHE)
find_file(attncheck_cuda_stub libcuda.so HINTS ${attncheck_cudnn_hints}
  PATH_SUFFIXES lib64/stubs lib/stubs NO_DEFAULT_PATH NO_CACHE)

set(attncheck_cudnn_version 0)
if(attncheck_cudnn_include)
  file(GLOB attncheck_version_headers ${attncheck_cudnn_include}/cudnn_version*.h)
  foreach(header ${attncheck_version_headers})
    file(STRINGS ${header} lines REGEX "^#define CUDNN_(MAJOR|MINOR|PATCHLEVEL) ")
    if(lines MATCHES "MAJOR ([0-9]+).*MINOR ([0-9]+).*PATCHLEVEL ([0-9]+)")
      set(attncheck_cudnn_version ${CMAKE_MATCH_1}.${CMAKE_MATCH_2}.${CMAKE_MATCH_3})
    endif()
  endforeach()
endif()

set(attncheck_cudnn_absent "")
if(NOT ATTNCHECK_CUDNN)
  set(attncheck_cudnn_absent "configured with ATTNCHECK_CUDNN=OFF")
elseif(NOT attncheck_cudnn_include)
  set(attncheck_cudnn_absent "no cuDNN headers were found when it was configured")
elseif(attncheck_cudnn_version VERSION_LESS 9.8)
  set(attncheck_cudnn_absent
    "cuDNN ${attncheck_cudnn_version} was found when it was configured, 9.8 is the oldest that can be asked")
elseif(NOT attncheck_cuda_include)
  set(attncheck_cudnn_absent "no CUDA headers were found when it was configured")
elseif(NOT EXISTS "${ATTNCHECK_CUDNN_FRONTEND_DIR}/cudnn_frontend.h")
  set(attncheck_cudnn_absent
    "no cuDNN frontend was found when it was configured (ci/setup brings it)")
endif()

if(attncheck_cudnn_absent)
  if(ATTNCHECK_CUDNN STREQUAL ON)
    message(FATAL_ERROR "ATTNCHECK_CUDNN=ON: ${attncheck_cudnn_absent}")
  endif()
  message(STATUS "cuDNN probe: not built, ${attncheck_cudnn_absent}")
else()
  add_library(attncheck_cudnn_headers INTERFACE)
  add_library(attncheck::cudnn_headers ALIAS attncheck_cudnn_headers)
  target_include_directories(attncheck_cudnn_headers SYSTEM INTERFACE
    ${ATTNCHECK_CUDNN_FRONTEND_DIR} ${attncheck_cudnn_include} ${attncheck_cuda_include})
  target_compile_definitions(attncheck_cudnn_headers INTERFACE
    NV_CUDNN_FRONTEND_USE_DYNAMIC_LOADING)
  message(STATUS "cuDNN probe: cuDNN ${attncheck_cudnn_version}, ${attncheck_cudnn_include}")
endif()

# A file that was not found is no path.
function(attncheck_found_path name)
  set(path "")
  if(${name})
    set(path "${${name}}")
  endif()
  set(${name} "${path}" PARENT_SCOPE)
endfunction()
attncheck_found_path(attncheck_cudnn_library)
attncheck_found_path(attncheck_nvrtc_library)
attncheck_found_path(attncheck_cuda_stub)
