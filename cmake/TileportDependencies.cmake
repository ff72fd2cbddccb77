# SPDX-License-Identifier: Apache-2.0
# Finds the header-only libraries the core needs and reports every missing one at once, with the package
# that brings it.
set(missing "")
foreach(entry IN ITEMS "fmt:libfmt-dev" "nlohmann_json:nlohmann-json3-dev" "tl-expected:libexpected-dev")
  string(REPLACE ":" ";" entry ${entry})
  list(GET entry 0 library)
  list(GET entry 1 debian_package)
  find_package(${library} QUIET)
  if(NOT ${library}_FOUND)
    list(APPEND missing ${debian_package})
  endif()
endforeach()
if(missing)
  list(JOIN missing " " missing)
  message(FATAL_ERROR "tileport needs header-only libraries that are not installed.\n"
                      "On Debian and Ubuntu: apt-get install ${missing}")
endif()

# valijson: Debian's libvalijson-dev depends on 70 packages of adapters that are not used here, so the
# Makefile and this file unpack its headers into the user's cache instead of installing it.
if(DEFINED ENV{XDG_CACHE_HOME} AND NOT "$ENV{XDG_CACHE_HOME}" STREQUAL "")
  set(valijson_cache "$ENV{XDG_CACHE_HOME}/tileport/valijson")
else()
  set(valijson_cache "$ENV{HOME}/.cache/tileport/valijson")
endif()
find_path(VALIJSON_INCLUDE_DIR valijson/schema.hpp HINTS ${valijson_cache}/usr/include)
if(NOT VALIJSON_INCLUDE_DIR)
  execute_process(COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/unpack_valijson.sh ${valijson_cache}
                  OUTPUT_VARIABLE valijson_output ERROR_VARIABLE valijson_output)
  find_path(VALIJSON_INCLUDE_DIR valijson/schema.hpp HINTS ${valijson_cache}/usr/include)
endif()
if(NOT VALIJSON_INCLUDE_DIR)
  message(FATAL_ERROR "tileport needs the headers of valijson 1.0 and could not unpack Debian's copy:\n"
                      "${valijson_output}\n"
                      "Get valijson any way you like and pass -DVALIJSON_INCLUDE_DIR=FOLDER (with pip: "
                      "pip install . -C cmake.define.VALIJSON_INCLUDE_DIR=FOLDER), where "
                      "FOLDER/valijson/schema.hpp exists.")
endif()
add_library(tileport_valijson INTERFACE)
target_include_directories(tileport_valijson SYSTEM INTERFACE ${VALIJSON_INCLUDE_DIR})
