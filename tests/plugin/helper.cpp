// What plugin_of_tests.cpp calls: a library that was linked without it has an undefined function.
int help_of_the_plugin() {
  return 3;
}
