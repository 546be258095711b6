# Under pip: the LibTorch is that of the torch which the same Python has installed. pip shows a build an
# environment of its own, in which -I does not look.
if(SKBUILD AND NOT ATTNCHECK_LIBTORCH_DIR)
  find_package(Python QUIET COMPONENTS Interpreter)
  set(attncheck_torch_place "import importlib.util as u, os; print(os.path.dirname(u.find_spec('torch').origin))")
  foreach(isolated "" -I)
    if(NOT attncheck_pip_torch)
      execute_process(COMMAND ${Python_EXECUTABLE} ${isolated} -c "${attncheck_torch_place}"
        OUTPUT_VARIABLE attncheck_pip_torch OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    endif()
  endforeach()
  if(NOT attncheck_pip_torch)
    message(FATAL_ERROR "${Python_EXECUTABLE} has no torch, which attncheck is built against: "
      "pip install torch, then this again")
  endif()
  set(ATTNCHECK_LIBTORCH_DIR ${attncheck_pip_torch})
endif()
