# What every target of linkherd is built with, and how a module (one folder, one static library) is declared.

# Warnings, as one target: linked privately, so that they never reach whoever links linkherd's libraries.
add_library(linkherd_warnings INTERFACE)
target_compile_options(linkherd_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor -Wold-style-cast
  -Woverloaded-virtual -Wcast-align -Wunused -Wdouble-promotion -Wformat=2 -Wimplicit-fallthrough)
# Not -Wnull-dereference and -Wrestrict: with optimisation g++ 12 finds them in its own std::string. clang-tidy's analyzer
# looks for the first as well.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(linkherd_warnings INTERFACE -Wno-restrict)
endif()
if(LINKHERD_UNITY)  # these take what one file of a unit keeps to itself for what all share
  target_compile_options(linkherd_warnings INTERFACE -Wno-shadow -Wno-subobject-linkage)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(linkherd_warnings INTERFACE -Wshadow=local)
  endif()
endif()
if(LINKHERD_WERROR)
  target_compile_options(linkherd_warnings INTERFACE -Werror)
endif()

# Sanitizers change code generation everywhere, so they are options of the directory, not of a target.
if(LINKHERD_SANITIZE)
  add_compile_options(-fsanitize=${LINKHERD_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${LINKHERD_SANITIZE})
  if(LINKHERD_SANITIZE MATCHES "thread")
    add_compile_options(-Wno-tsan)  # Asio has fences, which ThreadSanitizer does not model
  endif()
endif()

# linkherd_precompiled_headers(NAME LINK library... HEADERS header...): linkherd_precompile(TARGET NAME) compiles a target of the same folder
# (the same options are needed) with them. clang-tidy needs a build without: it cannot read GCC's, and they hide a missing include.
function(linkherd_precompiled_headers name)
  cmake_parse_arguments(PRECOMPILED "" "" "LINK;HEADERS" ${ARGN})
  if(LINKHERD_PRECOMPILED_HEADERS)
    file(CONFIGURE OUTPUT ${name}_headers.cpp CONTENT "")
    add_library(linkherd_${name}_headers OBJECT ${CMAKE_CURRENT_BINARY_DIR}/${name}_headers.cpp)
    target_precompile_headers(linkherd_${name}_headers PRIVATE ${PRECOMPILED_HEADERS})
    target_link_libraries(linkherd_${name}_headers PRIVATE ${PRECOMPILED_LINK} linkherd_warnings)
  endif()
endfunction()

function(linkherd_precompile target name)
  if(LINKHERD_PRECOMPILED_HEADERS)
    target_precompile_headers(${target} REUSE_FROM linkherd_${name}_headers)
    # g++ 12 forgets which lines of precompiled headers are the system's, and warns of its own std::string.
    target_compile_options(${target} PRIVATE -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread)
  endif()
endfunction()

# linkherd_units(RESULT NAME file...): what to compile for these source files of the current folder. With LINKHERD_UNITY sixteen of them are
# one unit: each header is read and each template instantiated once for all sixteen, and a build from nothing takes less than half the time;
# clang-tidy reads the same units. All presets do so: what compiles in one compiles in the others. CMake's
# own UNITY_BUILD writes absolute paths: ccache could not share them between folders.
function(linkherd_units result name)
  set(units ${ARGN})
  if(LINKHERD_UNITY)
    set(units ${ARGN})
    list(FILTER units INCLUDE REGEX "^/")  # what is generated is a unit of its own
    list(FILTER ARGN EXCLUDE REGEX "^/")
    file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
    list(LENGTH ARGN count)
    math(EXPR last "${count} - 1")
    foreach(begin RANGE 0 ${last} 16)
      list(SUBLIST ARGN ${begin} 16 files)
      list(TRANSFORM files REPLACE "(.+)" "#include \"${folder}/\\1\"  // NOLINT(bugprone-suspicious-include)")
      list(JOIN files "\n" includes)
      set(unit ${CMAKE_CURRENT_BINARY_DIR}/${name}_unit_${begin}.cpp)
      file(CONFIGURE OUTPUT ${unit} CONTENT "${includes}\n")
      list(APPEND units ${unit})
    endforeach()
  endif()
  set(${result} ${units} PARENT_SCOPE)
endfunction()

add_compile_options(-pthread)  # some libraries demand it: GCC takes a precompiled header only with the same options

linkherd_precompiled_headers(program LINK fmt::fmt Boost::headers
  HEADERS <algorithm> <array> <charconv> <chrono> <filesystem> <functional> <memory> <optional> <string> <string_view> <system_error>
          <unordered_map> <utility> <vector> <fmt/format.h> <boost/system/result.hpp>)

# linkherd_module(NAME SOURCES file... LINK library...): the static library linkherd_NAME of the current folder.
# What it may link is what the table of modules in ARCHITECTURE.md lets it include; the test `layering` holds the includes to the same table.
function(linkherd_module name)
  cmake_parse_arguments(MODULE "" "" "SOURCES;LINK;PRIVATE_LINK" ${ARGN})
  linkherd_units(units ${name} ${MODULE_SOURCES})
  add_library(linkherd_${name} STATIC ${units})
  target_include_directories(linkherd_${name} PUBLIC ${PROJECT_SOURCE_DIR})
  # Asio: no deprecated names, and no std::thread-per-resolver surprises; one definition everywhere keeps the ABI one.
  target_compile_definitions(linkherd_${name} PUBLIC BOOST_ASIO_NO_DEPRECATED BOOST_ASIO_DISABLE_BOOST_COROUTINE)
  target_link_libraries(linkherd_${name} PUBLIC ${MODULE_LINK} PRIVATE ${MODULE_PRIVATE_LINK} linkherd_warnings)
  linkherd_precompile(linkherd_${name} program)
endfunction()

# linkherd_optimize(NAME): for a module where a check of built sites spends most of its time.
function(linkherd_optimize name)
  target_compile_options(linkherd_${name} PRIVATE $<$<CONFIG:Release>:-O3>)
endfunction()

# Builds every generated source file and nothing else, for tools that read the sources without building them (.ci/clang_tidy.py).
add_custom_target(linkherd_generated)

# linkherd_messages(NAME FILE): the library of a .proto file of the current folder. protoc runs in the build, and only after the file changed:
# if it ran when CMake does, each call of ./bootstrap would compile its output again and link every program. No warnings and no clang-tidy: it
# is protoc's code.
function(linkherd_messages name file)
  set(generated "${PROJECT_BINARY_DIR}/generated")
  file(RELATIVE_PATH proto "${PROJECT_SOURCE_DIR}" "${CMAKE_CURRENT_SOURCE_DIR}/${file}")
  string(REGEX REPLACE "\\.proto$" "" stem "${generated}/${proto}")
  file(MAKE_DIRECTORY "${generated}")
  add_custom_command(OUTPUT "${stem}.pb.cc" "${stem}.pb.h"
    COMMAND "${Protobuf_PROTOC_EXECUTABLE}" "--proto_path=${PROJECT_SOURCE_DIR}" "--cpp_out=${generated}" "${proto}"
    DEPENDS "${file}" "${Protobuf_PROTOC_EXECUTABLE}" VERBATIM)
  add_custom_target(${name}_generated DEPENDS "${stem}.pb.cc" "${stem}.pb.h")
  add_dependencies(linkherd_generated ${name}_generated)
  add_library(${name} STATIC "${stem}.pb.cc")
  add_dependencies(${name} ${name}_generated)
  target_include_directories(${name} SYSTEM PUBLIC "${generated}")
  target_link_libraries(${name} PUBLIC protobuf::libprotobuf-lite)
endfunction()
