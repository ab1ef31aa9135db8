# linkherd_join_modules(RESULT FOLDER name...): sets RESULT to one script that contains these JavaScript modules and
# imports nothing. Each module becomes a function that returns its exports, so that its other names stay private.
# A module must follow the modules that it imports. An import has the form `import { a, b } from "./name.js";`, and an
# export starts at the beginning of a line.
function(linkherd_join_modules result folder)
  set(script "\"use strict\";\n")
  foreach(name IN LISTS ARGN)
    set(file "${CMAKE_CURRENT_SOURCE_DIR}/${folder}/${name}.js")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
    file(READ "${file}" text)
    string(REGEX MATCHALL "\nexport (async )?(function|class|const) [A-Za-z0-9_]+" exports "${text}")
    list(TRANSFORM exports REPLACE ".* " "")
    list(JOIN exports ", " exports)
    string(REGEX REPLACE "\nimport ({[^}]*}) from \"\\./([a-z_]+)\\.js\";" "\nconst \\1 = module_\\2;" text "${text}")
    string(REPLACE "\nexport " "\n" text "${text}")
    string(APPEND script "const module_${name} = (() => {\n${text}\nreturn { ${exports} };\n})();\n")
  endforeach()
  set(${result} "${script}" PARENT_SCOPE)
endfunction()

# linkherd_join_files(RESULT file...): sets RESULT to the concatenated files of the current folder.
function(linkherd_join_files result)
  set(joined "")
  foreach(name IN LISTS ARGN)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${name}")
    file(READ "${name}" text)
    string(APPEND joined "${text}")
  endforeach()
  set(${result} "${joined}" PARENT_SCOPE)
endfunction()
