# linkherd_join_modules(RESULT FOLDER name...): JavaScript modules as one script that imports nothing. Each becomes a function that returns
# what it exports, so that a module's other names are its own. They must be in the order in which they need each other; an import is
# `import { a, b } from "./name.js";`, an export stands at the beginning of a line.
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

# linkherd_join_files(RESULT file...): files of the current folder, one after the other.
function(linkherd_join_files result)
  set(joined "")
  foreach(name IN LISTS ARGN)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${name}")
    file(READ "${name}" text)
    string(APPEND joined "${text}")
  endforeach()
  set(${result} "${joined}" PARENT_SCOPE)
endfunction()
