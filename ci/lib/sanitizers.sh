# Options of the sanitizer build (cpu-asan). They do nothing in another one.
#
# detect_container_overflow=0: LibTorch is not instrumented, so a std::vector that it grew and we
#   read has wrong marks; the check would fire on correct code.
# detect_leaks=1 with ci/lib/lsan.supp: what LibTorch keeps for the life of the process is not ours.
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_container_overflow=0:detect_leaks=1}
export LSAN_OPTIONS=${LSAN_OPTIONS:-suppressions=$root/ci/lib/lsan.supp:print_suppressions=0}
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1:halt_on_error=1}
