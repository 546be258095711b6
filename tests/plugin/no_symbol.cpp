// A shared library that is no plug-in.
int no_symbol() {
  return 0;
}
