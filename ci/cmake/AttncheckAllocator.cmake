# attncheck_use_allocator(PROGRAM): gives the program a malloc for many small tensors that threads
# hand to each other. A check makes thousands of them a case; with tcmalloc (gperftools) it takes a
# fifth less time than with glibc's, whose aligned allocations bypass its caches. It is the program's choice
# alone: the libraries of the package work with any. A sanitizer brings its own.
option(ATTNCHECK_TCMALLOC "Link the program with tcmalloc where it is found" ON)

function(attncheck_use_allocator program)
  if(NOT ATTNCHECK_TCMALLOC OR ATTNCHECK_SANITIZE)
    return()
  endif()
  find_library(ATTNCHECK_TCMALLOC_LIBRARY tcmalloc_minimal)
  if(ATTNCHECK_TCMALLOC_LIBRARY)
    target_link_libraries(${program} PRIVATE
      -Wl,--push-state,--no-as-needed ${ATTNCHECK_TCMALLOC_LIBRARY} -Wl,--pop-state)
  else()
    message(NOTICE "tcmalloc_minimal was not found (Debian: libgoogle-perftools-dev): "
                   "the program runs on the system's malloc, about a fifth slower")
  endif()
endfunction()
