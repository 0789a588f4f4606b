# SPDX-License-Identifier: Apache-2.0
# cmake -D SOURCE= -D BINARY= -D OPTIONS= [-D INSTALLS_NOTHING=ON] -P consume.cmake
# Configures, builds and runs a consumer; OPTIONS are separated by '|'.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    string(REPLACE ";" " " command "${ARGN}")
    message(FATAL_ERROR "${command}: ${result}")
  endif()
endfunction()

file(REMOVE_RECURSE ${BINARY})
string(REPLACE "|" ";" OPTIONS "${OPTIONS}")
run(${CMAKE_COMMAND} -S ${SOURCE} -B ${BINARY} ${OPTIONS})
run(${CMAKE_COMMAND} --build ${BINARY} --parallel 4)
find_program(CONSUMER consumer PATHS ${BINARY} ${BINARY}/Debug NO_DEFAULT_PATH)
run(${CONSUMER})
if(INSTALLS_NOTHING)
  run(${CMAKE_COMMAND} --install ${BINARY} --prefix ${BINARY}/prefix)
  file(GLOB installed ${BINARY}/prefix/*)
  if(installed)
    message(FATAL_ERROR "the library installed ${installed} for its embedder")
  endif()
endif()
