# args: async.pto --ranks 2 --cores 1
start
goto-time 2500ns
why
info queues
pipe DMA
focus DMA
info queues
break async_wait
continue
step
why
why all
continue
