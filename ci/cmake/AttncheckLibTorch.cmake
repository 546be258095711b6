# attncheck::libtorch: the CPU half of LibTorch, libtorch_cpu and libc10 alone.
#
# Where it comes from, in this order:
#   Torch_DIR or CMAKE_PREFIX_PATH  a LibTorch of the user's own (the folder with lib/ and include/)
#   ATTNCHECK_LIBTORCH_DIR          the `torch` folder of an unpacked wheel (ci/setup makes one)
#
# Also installed beside attncheckConfig.cmake, where a LibTorch that cannot be used means that
# attncheck is not found.
#
# find_package(Torch) is not used: on a CUDA wheel it asks for a CUDA toolkit and links all of it.

set(ATTNCHECK_LIBTORCH_DIR "" CACHE PATH "The torch folder of an unpacked wheel")

# Both a LibTorch folder and torch.utils.cmake_prefix_path (torch/share/cmake) are understood.
file(TO_CMAKE_PATH "$ENV{CMAKE_PREFIX_PATH}" attncheck_prefixes)
set(attncheck_torch_hints)
foreach(prefix ${Torch_DIR} $ENV{Torch_DIR} ${CMAKE_PREFIX_PATH} ${attncheck_prefixes})
  list(APPEND attncheck_torch_hints ${prefix} ${prefix}/../.. ${prefix}/../../..)
endforeach()
list(APPEND attncheck_torch_hints ${ATTNCHECK_LIBTORCH_DIR})

# Not cached: a build folder that is configured anew with another LibTorch takes that one.
find_path(ATTNCHECK_TORCH_INCLUDE ATen/ATen.h HINTS ${attncheck_torch_hints}
  PATH_SUFFIXES include NO_DEFAULT_PATH NO_CACHE)
find_library(ATTNCHECK_TORCH_CPU torch_cpu HINTS ${attncheck_torch_hints}
  PATH_SUFFIXES lib NO_DEFAULT_PATH NO_CACHE)
find_library(ATTNCHECK_C10 c10 HINTS ${attncheck_torch_hints}
  PATH_SUFFIXES lib NO_DEFAULT_PATH NO_CACHE)
macro(attncheck_no_libtorch why)
  if(CMAKE_FIND_PACKAGE_NAME STREQUAL attncheck)
    set(attncheck_FOUND FALSE)
    set(attncheck_NOT_FOUND_MESSAGE "${why}")
    return()
  endif()
  message(FATAL_ERROR "${why}")
endmacro()

if(NOT ATTNCHECK_TORCH_INCLUDE OR NOT ATTNCHECK_TORCH_CPU OR NOT ATTNCHECK_C10)
  attncheck_no_libtorch("LibTorch not found. Run ci/setup (it unpacks a wheel and prints its \
folder), or set CMAKE_PREFIX_PATH to a LibTorch: the folder with lib/libtorch_cpu.so and include/ATen.")
endif()
get_filename_component(attncheck_torch_lib ${ATTNCHECK_TORCH_CPU} DIRECTORY)
get_filename_component(attncheck_torch_root ${attncheck_torch_lib} DIRECTORY)

# Releases before 2.8 lack parts of c10d's interface that the transports use.
set(attncheck_torch_version unknown)
foreach(header torch/headeronly/version.h torch/csrc/api/include/torch/version.h)
  if(EXISTS ${ATTNCHECK_TORCH_INCLUDE}/${header})
    file(STRINGS ${ATTNCHECK_TORCH_INCLUDE}/${header} line REGEX "^#define TORCH_VERSION_M")
    if(line MATCHES "MAJOR ([0-9]+).*MINOR ([0-9]+)")
      set(attncheck_torch_version ${CMAKE_MATCH_1}.${CMAKE_MATCH_2})
      break()
    endif()
  endif()
endforeach()
if(attncheck_torch_version VERSION_LESS 2.8 AND NOT attncheck_torch_version STREQUAL unknown)
  attncheck_no_libtorch("LibTorch ${attncheck_torch_version} in ${attncheck_torch_lib}: 2.8 is the \
oldest that attncheck works with. Unset CMAKE_PREFIX_PATH and Torch_DIR, and ci/setup brings a newer one.")
endif()

# A wheel built for CUDA wants libcudart and libcupti of its CUDA major even on a CPU machine.
# ci/setup puts them into this folder where the machine has none.
set(ATTNCHECK_CUDA_RUNTIME_DIR "" CACHE PATH "Folder with the libcudart and libcupti of the wheel")

# Imported, so that the installed package names it and finds it anew.
if(NOT TARGET attncheck::libtorch)
  add_library(attncheck::libtorch INTERFACE IMPORTED GLOBAL)
  target_include_directories(attncheck::libtorch SYSTEM INTERFACE
    ${ATTNCHECK_TORCH_INCLUDE} ${ATTNCHECK_TORCH_INCLUDE}/torch/csrc/api/include)
  target_link_libraries(attncheck::libtorch INTERFACE ${ATTNCHECK_TORCH_CPU} ${ATTNCHECK_C10})
  target_compile_definitions(attncheck::libtorch INTERFACE AT_PER_OPERATOR_HEADERS)
  target_link_options(attncheck::libtorch INTERFACE
    LINKER:--disable-new-dtags LINKER:--allow-shlib-undefined LINKER:-rpath,${attncheck_torch_lib})
  if(ATTNCHECK_CUDA_RUNTIME_DIR)
    target_link_options(attncheck::libtorch INTERFACE LINKER:-rpath,${ATTNCHECK_CUDA_RUNTIME_DIR})
  endif()
endif()
message(STATUS "LibTorch: ${attncheck_torch_version}, ${attncheck_torch_lib}")
