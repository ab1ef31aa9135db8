# Run by cpack on what is installed for the portable archive: puts the libraries of this system beside the program, in lib/linkherd, where
# its RPATH leads, with their licences, and packs all in an order that does not depend on the disk, as CPack's own would. The C library
# stays out, since it belongs to the system that runs the program.
set(root ${CPACK_TEMPORARY_DIRECTORY})
set(doc ${root}/share/doc/linkherd)
set(licences ${doc}/libraries)

file(GET_RUNTIME_DEPENDENCIES EXECUTABLES ${root}/bin/linkherd RESOLVED_DEPENDENCIES_VAR libraries
  POST_EXCLUDE_REGEXES "/(ld-linux[^/]*|lib(c|m|dl|rt|pthread|resolv|util|nsl|anl|mvec))\\.so[^/]*$")
list(SORT libraries)
file(MAKE_DIRECTORY ${root}/lib/linkherd ${licences})

# package_of(RESULT FILE): the package that a file of this system is in; dpkg knows files by the path that they were packed with.
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

set(table "The libraries in lib/linkherd are those of Debian's packages, unchanged; their licences are beside this file, and their sources are\n\
Debian's source packages of these versions. Another build of the same library may take the place of any of them.\n\n")
set(packages "")
foreach(library IN LISTS libraries)
  file(REAL_PATH ${library} file)
  get_filename_component(name ${library} NAME)
  file(COPY_FILE ${file} ${root}/lib/linkherd/${name})
  package_of(package ${file})
  execute_process(COMMAND dpkg-query -W -f "\${Version}  source \${source:Package} \${source:Version}\n" ${package} OUTPUT_VARIABLE versions)
  string(REGEX REPLACE "\n.*" "" version "${versions}")
  string(APPEND table "${name}  ${package} ${version}\n")
  list(APPEND packages ${package})
endforeach()
file(WRITE ${licences}/README "${table}")

# Their licences, and those that they name as files of a Debian system.
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
  COMMAND tar --create --file ${archive} --use-compress-program "gzip -9n" --format=posix --pax-option=delete=atime,delete=ctime --sort=name
    --mtime=@$ENV{SOURCE_DATE_EPOCH} --owner=0 --group=0 --numeric-owner "--transform=flags=r;s,^[.],${CPACK_PACKAGE_FILE_NAME}," -C ${root} .)
set(CPACK_EXTERNAL_BUILT_PACKAGES ${archive})
