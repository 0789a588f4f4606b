# SPDX-License-Identifier: Apache-2.0
# cmake -D ROOT= -P check_readme.cmake: the command that .ci/run runs stands in README.md, and every
# set-up command of README.md installs the same packages.
file(READ ${ROOT}/.ci/run run)
file(READ ${ROOT}/README.md readme)
# a command may go on in the next line
string(REGEX REPLACE "[ \t]*\\\\\r?\n[ \t]*" " " readme "${readme}")

string(REGEX MATCH "\n(sudo apt-get update[^\n]+)" found "${run}")
set(command "${CMAKE_MATCH_1}")
string(REGEX MATCH "apt-get install -y ([^&\n]*[^& \n])" found "${command}")
set(packages "${CMAKE_MATCH_1}")
if(packages STREQUAL "")
  message(FATAL_ERROR ".ci/run has no line that begins with sudo apt-get update and installs packages")
endif()

string(REGEX MATCHALL "apt-get install[^\n]*" installs "${readme}")
if(NOT installs)
  message(STATUS "README.md has no set-up commands")
  return()
endif()
foreach(install ${installs})
  if(NOT install MATCHES "^apt-get install -y ([^&]*[^& ]) *(&&|$)" OR NOT CMAKE_MATCH_1 STREQUAL packages)
    message(SEND_ERROR "README.md: ${install}\ninstalls other packages than .ci/run: ${packages}")
  endif()
endforeach()
string(FIND "${readme}" "${command}" place)
if(place EQUAL -1)
  message(SEND_ERROR "README.md lacks the command of .ci/run:\n${command}")
endif()
