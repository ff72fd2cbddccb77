# SPDX-License-Identifier: Apache-2.0
# tileport_embed(TARGET HEADER NAMESPACE NAME FILE...) writes HEADER into the build folder and puts it on
# TARGET's private include path. It defines NAMESPACE::NAME, an array of {file name without ".json", text}.
function(tileport_embed target header namespace name)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/generated/${header})
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} -DNAMESPACE=${namespace} -DNAME=${name} "-DFILES=${ARGN}" -P
            ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/write_embedded.cmake
    DEPENDS ${ARGN} ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/write_embedded.cmake
    VERBATIM)
  target_sources(${target} PRIVATE ${output})
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/generated)
endfunction()
