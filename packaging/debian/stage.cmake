# CPack runs this script on the installed files of the Debian package. It applies Debian's own conventions.
set(usr ${CPACK_TEMPORARY_DIRECTORY}/usr)
set(doc ${usr}/share/doc/linkherd)
file(RPATH_REMOVE FILE ${usr}/bin/linkherd)  # only the portable archive needs the RPATH
file(REMOVE ${doc}/LICENSE)
file(RENAME ${doc}/CHANGELOG.md ${doc}/changelog)
file(COPY ${CPACK_LINKHERD_SOURCE_DIR}/packaging/debian/copyright DESTINATION ${doc})
file(COPY_FILE ${CPACK_LINKHERD_SOURCE_DIR}/packaging/debian/changelog ${doc}/changelog.Debian)
file(RENAME ${usr}/share/zsh/site-functions ${usr}/share/zsh/vendor-completions)
file(GLOB pages ${usr}/share/man/man1/*.1)
execute_process(COMMAND gzip -9n ${doc}/changelog ${doc}/changelog.Debian ${pages} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND chmod -R u=rwX,go=rX ${CPACK_TEMPORARY_DIRECTORY} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND find ${CPACK_TEMPORARY_DIRECTORY} -exec touch -h -d @$ENV{SOURCE_DATE_EPOCH} {} +
  COMMAND_ERROR_IS_FATAL ANY)
