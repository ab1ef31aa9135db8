# cmake -DPROGRAM=linkherd -DFOLDER=… -P pages.cmake: makes the program write its manual pages and completion scripts,
# at their standard paths below a prefix.
set(man "${FOLDER}/man/man1")
set(bash "${FOLDER}/bash-completion/completions")
set(zsh "${FOLDER}/zsh/site-functions")
set(fish "${FOLDER}/fish/vendor_completions.d")
file(MAKE_DIRECTORY ${man} ${bash} ${zsh} ${fish})
execute_process(COMMAND ${PROGRAM} man --all-into ${man} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${PROGRAM} completions bash OUTPUT_FILE ${bash}/linkherd COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${PROGRAM} completions zsh OUTPUT_FILE ${zsh}/_linkherd COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${PROGRAM} completions fish OUTPUT_FILE ${fish}/linkherd.fish COMMAND_ERROR_IS_FATAL ANY)
