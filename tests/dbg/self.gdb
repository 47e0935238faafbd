source self.gdb
