# args: ring.pto --ranks 3 --cores 1
# Writers on other ranks: stores, notifies, scalar stores.
start
watch ready@1[0]
watch box@2[0] rank 1
awatch got@0
continue
rwatch ready@2[0]
continue
continue
continue
reverse-continue
reverse-continue
delete
continue
last-writer box@2[3]
last-writer
last-writer ready@0
origin got@0
