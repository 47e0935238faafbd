# Write files as C arrays: static const unsigned char NAME_EXTENSION[] = {...};
# Called as: cmake -DOUT=file -DFILES=a;b;c -P embed.cmake
file(WRITE ${OUT} "/* Made from vm/report/page/ by embed.cmake. */\n")
foreach(path IN LISTS FILES)
    get_filename_component(name ${path} NAME)
    string(REPLACE "." "_" name ${name})
    file(READ ${path} bytes HEX)
    string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
    file(APPEND ${OUT} "static const unsigned char ${name}[] = {${bytes}};\n")
endforeach()
