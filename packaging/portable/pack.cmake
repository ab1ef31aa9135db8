# CPack runs this script on the installed files of the portable archive. It copies the libraries of this system into
# lib/linkherd, which the RPATH of the program refers to, and adds their licences. The C and C++ libraries are left out:
# they belong to the system that runs the program, which may have older ones than this system.
# The script packs the archive itself, because the file order of CPack's own archives depends on the disk. From the
# archive, it makes the wheel, the npm package and the list of contents (SBOM).
set(root ${CPACK_TEMPORARY_DIRECTORY})
set(doc ${root}/share/doc/linkherd)
set(licences ${doc}/libraries)
set(scripts ${CPACK_LINKHERD_SOURCE_DIR}/packaging/portable)
set(ENV{PYTHONDONTWRITEBYTECODE} 1)  # leaves no files in the source folder

file(GET_RUNTIME_DEPENDENCIES EXECUTABLES ${root}/bin/linkherd RESOLVED_DEPENDENCIES_VAR libraries
  POST_EXCLUDE_REGEXES
    "/(ld-linux[^/]*|lib(c|m|dl|rt|pthread|resolv|util|nsl|anl|mvec|stdc\\+\\+|gcc_s))\\.so[^/]*$")
list(SORT libraries)
file(MAKE_DIRECTORY ${root}/lib/linkherd ${licences})

# package_of(RESULT FILE): sets RESULT to the Debian package that contains a file. dpkg knows a file by the path in its
# package, which may lack or have the prefix /usr.
function(package_of result file)
  string(REGEX REPLACE "^/usr" "" without_usr ${file})
  foreach(path ${file} ${without_usr} /usr${file})
    execute_process(COMMAND dpkg-query -S ${path} OUTPUT_VARIABLE found ERROR_QUIET RESULT_VARIABLE failed)
    if(NOT failed)
      string(REGEX REPLACE "^([^:,]+).*" "\\1" name "${found}")
      set(${result} ${name} PARENT_SCOPE)
      return()
    endif()
  endforeach()
  message(FATAL_ERROR "no package has ${file}, so its licence is not known")
endfunction()

set(packages "")
# table_row(NAME FILE CHANGE): adds a row on the package of FILE to `table`, and the package to `packages`. sbom.py
# reads these rows.
macro(table_row name file change)
  package_of(package ${file})
  execute_process(COMMAND dpkg-query -W -f "\${Version}  source \${source:Package} \${source:Version}\n" ${package}
    OUTPUT_VARIABLE versions)
  string(REGEX REPLACE "\n.*" "" version "${versions}")
  string(APPEND table "${name}  ${package} ${version}${change}\n")
  list(APPEND packages ${package})
endmacro()

foreach(library IN LISTS libraries)
  file(REAL_PATH ${library} file)
  get_filename_component(name ${library} NAME)
  if(name MATCHES "^libicudata\\.")
    execute_process(COMMAND ${scripts}/trim_icu_data.py ${file} ${root}/lib/linkherd/${name}
      COMMAND_ERROR_IS_FATAL ANY)
  else()
    file(COPY_FILE ${file} ${root}/lib/linkherd/${name})
  endif()
endforeach()
file(GLOB binaries ${root}/bin/linkherd ${root}/lib/linkherd/*)
execute_process(COMMAND ${scripts}/symbol_versions.py ${binaries} OUTPUT_VARIABLE changed COMMAND_ERROR_IS_FATAL ANY)

set(table "The libraries in lib/linkherd are those of Debian's packages. Their licences are beside this file, and\n\
their sources are Debian's source packages of these versions. They are unchanged, except for those with a remark.\n\
Another build of the same library may take the place of any of them.\n\n")
foreach(library IN LISTS libraries)
  file(REAL_PATH ${library} file)
  get_filename_component(name ${library} NAME)
  set(change "")
  if(name MATCHES "^libicudata\\.")
    set(change "  (without the data of languages and regions)")
  elseif(changed MATCHES "/${name}\n")
    set(change "  (needs an older version of a symbol of libstdc++)")
  endif()
  table_row(${name} ${file} "${change}")
endforeach()
string(APPEND table "\nThese headers are compiled into the program:\n\n")
table_row(boost/version.hpp /usr/include/boost/version.hpp "")
table_row(CLI/CLI.hpp /usr/include/CLI/CLI.hpp "")
file(WRITE ${licences}/README "${table}")

# Copies the licences of the packages, and the common licences of Debian that they refer to.
list(REMOVE_DUPLICATES packages)
foreach(package IN LISTS packages)
  file(REAL_PATH /usr/share/doc/${package}/copyright copyright)
  file(COPY_FILE ${copyright} ${licences}/${package}.copyright)
  file(STRINGS ${copyright} lines REGEX "common-licenses/")
  string(REGEX MATCHALL "common-licenses/[A-Za-z]+(-[0-9.]*[0-9])?" names "${lines}")
  list(APPEND commons ${names})
endforeach()
list(REMOVE_DUPLICATES commons)
foreach(common IN LISTS commons)
  if(EXISTS /usr/share/${common})
    file(REAL_PATH /usr/share/${common} text)
    get_filename_component(name ${common} NAME)
    file(COPY_FILE ${text} ${licences}/${name})
  endif()
endforeach()

execute_process(COMMAND chmod -R u=rwX,go=rX ${root} COMMAND_ERROR_IS_FATAL ANY)
set(archive ${CPACK_PACKAGE_DIRECTORY}/${CPACK_PACKAGE_FILE_NAME}.tar.gz)
execute_process(COMMAND_ERROR_IS_FATAL ANY
  COMMAND tar --create --file ${archive} --use-compress-program "gzip -9n" --format=posix
    --pax-option=delete=atime,delete=ctime --sort=name
    --mtime=@$ENV{SOURCE_DATE_EPOCH} --owner=0 --group=0 --numeric-owner
    "--transform=flags=r;s,^[.],${CPACK_PACKAGE_FILE_NAME}," -C ${root} .)
set(CPACK_EXTERNAL_BUILT_PACKAGES ${archive})
foreach(script python_wheel npm_package sbom)
  execute_process(COMMAND ${scripts}/${script}.py ${archive} ${CPACK_PACKAGE_DIRECTORY}
    OUTPUT_VARIABLE package OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  list(APPEND CPACK_EXTERNAL_BUILT_PACKAGES ${package})
endforeach()
