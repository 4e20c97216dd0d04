// A shared library that has nothing to do with drives.
extern "C" int answer();
extern "C" int answer() {
  return 42;
}
