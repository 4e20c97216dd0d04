#!/bin/sh
# Compiles every firmware source for a bare-metal Arm core (objects only) and refuses objects that
# need what such a target has not: a heap, exceptions, guards of local statics, global destructors.
# Usage: arm_compile.sh SOURCE_ROOT BUILD_FOLDER CPU
# Needs the Debian packages gcc-arm-none-eabi libnewlib-dev libstdc++-arm-none-eabi-dev.
set -eu
root=$1
out=$2
cpu=$3

if ! command -v arm-none-eabi-g++ > /dev/null; then
  echo "arm-none-eabi-g++ not found: install gcc-arm-none-eabi libnewlib-dev libstdc++-arm-none-eabi-dev" >&2
  exit 1
fi

rm -rf "$out"
mkdir -p "$out"
cd "$root"
find firmware -name '*.cpp' | LC_ALL=C sort > "$out/sources"
compile='
  object="$1/$(echo "$3" | tr / _).o"
  exec arm-none-eabi-g++ -std=c++17 -ffreestanding -fno-exceptions -fno-rtti -Os -mcpu="$2" -mthumb -DTWINPLANE_TARGET \
    -Wall -Wextra -Werror -I. -c "$3" -o "$object"'
xargs -P 2 -n 1 sh -c "$compile" compile "$out" "$cpu" < "$out/sources"

compiled=$(find "$out" -name '*.o' | wc -l)
wanted=$(wc -l < "$out/sources")
if [ "$compiled" -eq 0 ] || [ "$compiled" -ne "$wanted" ]; then
  echo "compiled $compiled of $wanted sources" >&2
  exit 1
fi

# operator new and delete, the C heap, exceptions, static guards, global destructors
forbidden='^(_Zn[aw]|_Zd[al]|malloc$|calloc$|realloc$|free$|__cxa_throw|__cxa_guard|__cxa_atexit|__aeabi_atexit|_Unwind_|printf$|abort$)'
status=0
for object in "$out"/*.o; do
  bad=$(arm-none-eabi-nm -u "$object" | sed 's/^ *U //' | grep -E "$forbidden" || true)
  if [ -n "$bad" ]; then
    echo "$(basename "$object"): needs $(echo "$bad" | tr '\n' ' ')" >&2
    status=1
  fi
done
arm-none-eabi-size -t "$out"/*.o | tail -1 | awk -v n="$compiled" -v cpu="$cpu" \
  '{ printf "%d objects for %s: text %d, data %d, bss %d bytes\n", n, cpu, $1, $2, $3 }'
exit $status
