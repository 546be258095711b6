# Options of the sanitizer builds (cpu-asan, cpu-ubsan, cpu-tsan). They do nothing in another one.
#
# detect_container_overflow=0: LibTorch is not instrumented, so a std::vector that it grew and we
#   read has wrong marks; the check would fire on correct code.
# detect_leaks=1 with ci/lib/lsan.supp: what LibTorch keeps for the life of the process is not ours.
# ignore_noninstrumented_modules=1: LibTorch is not instrumented, so ThreadSanitizer sees neither its
#   locks nor its atomics; a race between two places of our own code is still seen.
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_container_overflow=0:detect_leaks=1}
export LSAN_OPTIONS=${LSAN_OPTIONS:-suppressions=$root/ci/lib/lsan.supp:print_suppressions=0}
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1:halt_on_error=1}
export TSAN_OPTIONS=${TSAN_OPTIONS:-ignore_noninstrumented_modules=1:second_deadlock_stack=1}
