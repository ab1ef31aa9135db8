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

add_compile_options(-pthread)  # some libraries demand it: GCC takes a precompiled header only with the same options

linkherd_precompiled_headers(program LINK fmt::fmt Boost::headers
  HEADERS <algorithm> <array> <charconv> <chrono> <filesystem> <functional> <memory> <optional> <string> <string_view> <system_error>
          <unordered_map> <utility> <vector> <fmt/format.h> <boost/system/result.hpp>)

# linkherd_module(NAME SOURCES file... LINK library...): the static library linkherd_NAME of the current folder.
# What it may link is what the table of modules in ARCHITECTURE.md lets it include; the test `layering` holds the includes to the same table.
function(linkherd_module name)
  cmake_parse_arguments(MODULE "" "" "SOURCES;LINK;PRIVATE_LINK" ${ARGN})
  add_library(linkherd_${name} STATIC ${MODULE_SOURCES})
  target_include_directories(linkherd_${name} PUBLIC ${PROJECT_SOURCE_DIR})
  # Asio: no deprecated names, and no std::thread-per-resolver surprises; one definition everywhere keeps the ABI one.
  target_compile_definitions(linkherd_${name} PUBLIC BOOST_ASIO_NO_DEPRECATED BOOST_ASIO_DISABLE_BOOST_COROUTINE)
  target_link_libraries(linkherd_${name} PUBLIC ${MODULE_LINK} PRIVATE ${MODULE_PRIVATE_LINK} linkherd_warnings)
  linkherd_precompile(linkherd_${name} program)
endfunction()
