# Defines the compile options of all targets, and the function that declares a module (one folder, one static library).

# The warning options, as one target. Targets link it privately, so that the options do not propagate to users of
# linkherd's libraries.
add_library(linkherd_warnings INTERFACE)
target_compile_options(linkherd_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor -Wold-style-cast
  -Woverloaded-virtual -Wcast-align -Wunused -Wdouble-promotion -Wformat=2 -Wimplicit-fallthrough)
# -Wnull-dereference and -Wrestrict are off: with optimisation, g++ 12 reports them inside its own std::string. The
# analyzer of clang-tidy checks for null dereferences too.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(linkherd_warnings INTERFACE -Wno-restrict)
endif()
# g++ 14 reports every reference that a function returns if one of its arguments is a temporary, even if it refers to
# another argument.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 14)
  target_compile_options(linkherd_warnings INTERFACE -Wno-dangling-reference)
endif()
if(LINKHERD_UNITY)  # in a unit, these warn about names that are local to one source file
  target_compile_options(linkherd_warnings INTERFACE -Wno-shadow -Wno-subobject-linkage)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(linkherd_warnings INTERFACE -Wshadow=local)
  endif()
endif()
if(LINKHERD_WERROR)
  target_compile_options(linkherd_warnings INTERFACE -Werror)
endif()

# Sanitizers change code generation everywhere, so they are options of the directory instead of a target.
if(LINKHERD_SANITIZE)
  # The checks of null and misaligned pointers are off. They are compiled into every access and take a third of the
  # compile time; AddressSanitizer reports accesses through null pointers too.
  add_compile_options(-fsanitize=${LINKHERD_SANITIZE} -fno-sanitize=null,alignment -fno-sanitize-recover=all
    -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${LINKHERD_SANITIZE})
  if(LINKHERD_SANITIZE MATCHES "thread")
    add_compile_options(-Wno-tsan)  # Asio uses fences, which ThreadSanitizer does not model
  endif()
endif()

# linkherd_precompiled_headers(NAME LINK library... HEADERS header...): defines a set of precompiled headers.
# linkherd_precompile(TARGET NAME) compiles a target of the same folder with it; both need the same compile options.
# clang-tidy needs a build without them: it cannot read GCC's precompiled headers, and they hide missing includes.
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
    # With precompiled headers, g++ 12 loses the information which lines are from system headers, and warns about its
    # own std::string.
    target_compile_options(${target} PRIVATE -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread)
  endif()
endfunction()

# linkherd_units(RESULT NAME file...): sets RESULT to the files to compile for these source files of the current folder.
# With LINKHERD_UNITY, sixteen source files form one unit. Each header is read and each template instantiated once per
# unit, and a build from scratch takes less than half the time.
# clang-tidy reads the same units. All presets use units, so that code that compiles in one preset compiles in the
# others. CMake's own UNITY_BUILD writes absolute paths, so that ccache could not share its units between folders.
function(linkherd_units result name)
  set(units ${ARGN})
  if(LINKHERD_UNITY)
    set(units ${ARGN})
    list(FILTER units INCLUDE REGEX "^/")  # each generated file is a separate unit
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

# Some libraries require -pthread. All targets use it, because GCC accepts a precompiled header only with identical
# options.
add_compile_options(-pthread)

linkherd_precompiled_headers(program LINK fmt::fmt Boost::headers
  HEADERS <algorithm> <array> <atomic> <charconv> <chrono> <condition_variable> <deque> <filesystem> <functional>
    <limits> <map> <memory> <mutex> <numeric> <optional> <ranges> <set> <span> <string> <string_view> <system_error>
    <thread> <tuple> <unordered_map> <unordered_set> <utility> <variant> <vector>
          <fmt/format.h> <boost/system/result.hpp>)

# linkherd_module(NAME SOURCES file... LINK library...): declares the static library linkherd_NAME of the current
# folder. The table of modules in ARCHITECTURE.md defines which modules it may link and include; the test `layering`
# checks the includes.
function(linkherd_module name)
  cmake_parse_arguments(MODULE "" "" "SOURCES;LINK;PRIVATE_LINK" ${ARGN})
  linkherd_units(units ${name} ${MODULE_SOURCES})
  add_library(linkherd_${name} STATIC ${units})
  target_include_directories(linkherd_${name} PUBLIC ${PROJECT_SOURCE_DIR})
  # Options of Asio: no deprecated names and no Boost.Coroutine. They are the same in all modules, so that the ABI is
  # the same too.
  target_compile_definitions(linkherd_${name} PUBLIC BOOST_ASIO_NO_DEPRECATED BOOST_ASIO_DISABLE_BOOST_COROUTINE)
  target_link_libraries(linkherd_${name} PUBLIC ${MODULE_LINK} PRIVATE ${MODULE_PRIVATE_LINK} linkherd_warnings)
  linkherd_precompile(linkherd_${name} program)
endfunction()

# linkherd_optimize(NAME): optimises a module more in which a check of built sites spends most of its time.
function(linkherd_optimize name)
  target_compile_options(linkherd_${name} PRIVATE $<$<CONFIG:Release>:-O3>)
endfunction()

# linkherd_optimize_less(NAME): optimises a module less whose code runs once per command. With -O2, the templates of
# CLI11 take a third longer to compile.
function(linkherd_optimize_less name)
  target_compile_options(linkherd_${name} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()

# Builds only the generated source files, for tools that read the sources without building them (.ci/clang_tidy.py).
add_custom_target(linkherd_generated)

# linkherd_messages(NAME FILE): declares the library of a .proto file of the current folder. protoc runs during the
# build, and only after the file has changed. If it ran when CMake configures, each call of ./bootstrap would compile
# its output again and relink every program. Warnings and clang-tidy are off because protoc generates the code.
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
