# attncheck::libtorch_cuda: LibTorch with its CUDA half, for nccl_gpu/ and its tests alone. Nothing
# here compiles device code, so the C++ compiler is enough; find_package(Torch) is not used either.
#
#   ATTNCHECK_CUDA_TOOLKIT        a toolkit of the wheel's CUDA major, with nccl.h and libnccl
#   ATTNCHECK_CUDA_LIBRARIES_DIR  nvshmem, cuSPARSELt and cuFile, from wheels (ci/setup prints both)
set(ATTNCHECK_CUDA_TOOLKIT "/usr/local/cuda" CACHE PATH "A CUDA toolkit with NCCL")
set(ATTNCHECK_CUDA_LIBRARIES_DIR "" CACHE PATH "Folder with nvshmem, cuSPARSELt and cuFile")

foreach(wanted ${attncheck_torch_lib}/libtorch_cuda.so ${ATTNCHECK_CUDA_TOOLKIT}/include/cuda_runtime.h
        ${ATTNCHECK_CUDA_TOOLKIT}/include/nccl.h ${ATTNCHECK_CUDA_TOOLKIT}/lib64/libnccl.so)
  if(NOT EXISTS ${wanted})
    message(FATAL_ERROR "nccl_gpu needs ${wanted}. Give a CUDA toolkit with NCCL by \
-DATTNCHECK_CUDA_TOOLKIT=FOLDER and a LibTorch for CUDA, or leave it out: -DATTNCHECK_NCCL=OFF.")
  endif()
endforeach()

# ProcessGroupNCCL's options hold a structure of nccl.h, whose size the library must share: with an
# older header all links, and then corrupts the heap.
function(attncheck_read_nccl_version header variable)
  set(version)
  foreach(part MAJOR MINOR PATCH)
    file(STRINGS ${header} line REGEX "^#define NCCL_${part} ")
    string(REGEX REPLACE ".*NCCL_${part} +([0-9]+).*" "\\1" number "${line}")
    list(APPEND version ${number})
  endforeach()
  list(JOIN version "." version)
  set(${variable} ${version} PARENT_SCOPE)
endfunction()

attncheck_read_nccl_version(${ATTNCHECK_CUDA_TOOLKIT}/include/nccl.h attncheck_nccl_version)
file(GLOB attncheck_torch_metadata ${attncheck_torch_root}/../torch-*.dist-info/METADATA)
if(attncheck_torch_metadata)
  file(STRINGS ${attncheck_torch_metadata} line REGEX "^Requires-Dist: nvidia-nccl-")
  string(REGEX MATCH "==([0-9.]+)" found "${line}")
  if(CMAKE_MATCH_1 VERSION_GREATER attncheck_nccl_version)
    message(FATAL_ERROR "this LibTorch was built with NCCL ${CMAKE_MATCH_1}, but \
${ATTNCHECK_CUDA_TOOLKIT}/include/nccl.h is ${attncheck_nccl_version}: give a toolkit folder with a newer one.")
  endif()
endif()

add_library(attncheck_libtorch_cuda INTERFACE)
add_library(attncheck::libtorch_cuda ALIAS attncheck_libtorch_cuda)
target_include_directories(attncheck_libtorch_cuda SYSTEM INTERFACE ${ATTNCHECK_CUDA_TOOLKIT}/include)
target_compile_definitions(attncheck_libtorch_cuda INTERFACE USE_C10D_NCCL)
target_link_libraries(attncheck_libtorch_cuda INTERFACE attncheck::libtorch
  ${attncheck_torch_lib}/libtorch_cuda.so ${attncheck_torch_lib}/libc10_cuda.so
  ${ATTNCHECK_CUDA_TOOLKIT}/lib64/libcudart.so)
target_link_options(attncheck_libtorch_cuda INTERFACE
  LINKER:--no-as-needed
  LINKER:-rpath,${ATTNCHECK_CUDA_TOOLKIT}/lib64 LINKER:-rpath-link,${ATTNCHECK_CUDA_TOOLKIT}/lib64)
if(ATTNCHECK_CUDA_LIBRARIES_DIR)
  target_link_options(attncheck_libtorch_cuda INTERFACE
    LINKER:-rpath,${ATTNCHECK_CUDA_LIBRARIES_DIR} LINKER:-rpath-link,${ATTNCHECK_CUDA_LIBRARIES_DIR})
endif()
message(STATUS "CUDA: ${ATTNCHECK_CUDA_TOOLKIT}, NCCL ${attncheck_nccl_version}")
