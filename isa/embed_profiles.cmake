# Write the profile files as C string literals: EMBED("a2", "text...") per file, for
# profile_built_in.c.
# Called as: cmake -DOUT=file -DFILES=a;b;c -P embed_profiles.cmake
file(WRITE ${OUT} "/* Made from isa/profiles by embed_profiles.cmake. */\n")
foreach(path IN LISTS FILES)
    get_filename_component(name ${path} NAME_WE)
    file(STRINGS ${path} lines)
    file(APPEND ${OUT} "EMBED(\"${name}\",\n")
    foreach(line IN LISTS lines)
        string(REPLACE "\\" "\\\\" line "${line}")
        string(REPLACE "\"" "\\\"" line "${line}")
        file(APPEND ${OUT} "      \"${line}\\n\"\n")
    endforeach()
    file(APPEND ${OUT} ")\n")
endforeach()
